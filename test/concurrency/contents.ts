/**
 * Files whose rows identify their upload, and a simple model of the rows that a dataset must have after each of
 * them.
 */
import type { Random } from '../harness/random.js';

export type Mode = 'replace' | 'append' | 'upsert';

/** Identifiable row: its text has key, upload, position, and the row count of the upload. */
export interface Row {
  readonly key: string;
  readonly upload: number;
  readonly text: string;
}

export interface UploadFile {
  readonly number: number;
  readonly mode: Mode;
  readonly rows: readonly Row[];
  readonly csv: string;
  /** True if no record has as many fields as the header, so that all are quarantined. */
  readonly isRejected: boolean;
}

/** Names of the renamed column; a row has a value in exactly one column with such a name. */
export const labels = Array.from({ length: 12 }, (_, at) => `label_${at}`);

const rowOf = (key: string, upload: number, at: number, total: number): Row => ({
  key,
  upload,
  text: [key, upload, at, total, upload * 10_000 + at].join(' '),
});

const rowCount = (random: Random): number => {
  if (random.chance(0.04)) return random.between(800, 2_000);
  return random.between(1, 60);
};

export const makeFile = (random: Random, number: number, mode: Mode): UploadFile => {
  const kind = random.weighted({ rows: 92, header: 4, rejected: 4 });
  const total = kind === 'rows' ? rowCount(random) : 0;
  const keys = random.pick([10, 80, 5_000]);
  const rows = Array.from({ length: total }, (_, at) =>
    rowOf(`k${random.between(1, keys)}`, number, at, total),
  );
  const columns = ['key', 'upload', 'at', 'total', random.pick(labels)];
  const lines = rows.map(({ text }) => text.replaceAll(' ', ','));
  const isRejected = kind === 'rejected';
  if (isRejected) lines.push('one field', 'k1,2,3,4,5,6');
  return { number, mode, rows, csv: `${[columns.join(','), ...lines].join('\n')}\n`, isRejected };
};

/** Keeps only the last row of each key, at its own position. */
const lastOfEachKey = (rows: readonly Row[]): Row[] => {
  const last = new Map(rows.map((row) => [row.key, row]));
  return rows.filter((row) => last.get(row.key) === row);
};

/** Expected rows of the dataset after the upload. */
export const applied = (base: readonly Row[], file: UploadFile): readonly Row[] => {
  if (file.mode === 'replace') return file.rows;
  if (file.mode === 'append') return [...base, ...file.rows];
  const winners = new Map(lastOfEachKey(file.rows).map((row) => [row.key, row]));
  const known = new Set(base.map(({ key }) => key));
  const kept = base.map((row) => winners.get(row.key) ?? row);
  return [...kept, ...[...winners.values()].filter(({ key }) => !known.has(key))];
};

const unquoted = (field: string): string => field.replace(/^"|"$/g, '');

/** Parses a download. @throws Error if it is malformed */
export const parseRows = (csv: string): Row[] => {
  const [head, ...lines] = csv
    .split(/\r?\n/)
    .slice(0, -1)
    .map((line) => line.split(',').map(unquoted));
  if (head === undefined) throw new Error('the download has no header');
  const place = (name: string): number => {
    const at = head.indexOf(name);
    if (at < 0) throw new Error(`the download has no column ${name}, only ${head.join(', ')}`);
    return at;
  };
  const named = ['key', 'upload', 'at', 'total'].map(place);
  const labelled = head.flatMap((name, at) => (labels.includes(name) ? [at] : []));
  return lines.map((fields) => {
    if (fields.length !== head.length) throw new Error(`a row has ${fields.length} fields: ${fields.join()}`);
    const [key = '', upload = ''] = named.map((at) => fields[at] ?? '');
    const values = labelled.map((at) => fields[at] ?? '').filter((value) => value !== '');
    const text = [...named.map((at) => fields[at]), ...values].join(' ');
    return { key, upload: Number(upload), text };
  });
};

/** Summarizes rows by upload: `7: 12 of 60, 9: 3 of 3`. */
export const summary = (rows: readonly Row[]): string => {
  const counts = new Map<number, { count: number; total: string }>();
  for (const { upload, text } of rows) {
    const known = counts.get(upload) ?? { count: 0, total: text.split(' ')[3] ?? '?' };
    counts.set(upload, { ...known, count: known.count + 1 });
  }
  const parts = [...counts].map(([upload, { count, total }]) => `${upload}: ${count} of ${total}`);
  return parts.length === 0 ? 'no rows' : parts.join(', ');
};
