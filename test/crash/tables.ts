/**
 * Expected content of a dataset after each upload, computed from the files alone. It says in plain loops what the
 * product does with chunks, segments and merges.
 */
import type { Asked } from './asked.js';
import { columns, quoted } from './files.js';

type Type = 'Date' | 'Decimal' | 'String';
type Row = readonly string[];

/** The types of a table, by position; every file has the same columns. */
export interface Types {
  readonly types: readonly Type[];
  /** Columns without any value so far: they take the type of those to come. */
  readonly untyped: readonly boolean[];
}

export interface Table extends Types {
  /** Columns that tell rows apart in an upsert. */
  readonly entities: readonly boolean[];
  /** Texts of the values; an empty one is null. */
  readonly rows: readonly Row[];
}

export type Applied =
  | { readonly kind: 'table'; readonly table: Table; readonly setAside: number }
  | { readonly kind: 'failure'; readonly code: string };

const patterns: Readonly<Record<Type, RegExp>> = {
  Date: /^(\d{4}-\d{2}-\d{2})?$/,
  Decimal: /^(-?(0|[1-9]\d*)(\.\d+)?)?$/,
  String: /^/,
};

const fits = (type: Type, value: string): boolean => patterns[type].test(value);

const isEmpty = (rows: readonly Row[], at: number): boolean => rows.every((row) => row[at] === '');

const allFit = (rows: readonly Row[], at: number, type: Type): boolean =>
  rows.every((row) => fits(type, row[at] ?? ''));

/** The type of a column by its values; one without any is text. */
const typeOf = (rows: readonly Row[], at: number): Type => {
  if (isEmpty(rows, at)) return 'String';
  const known: readonly Type[] = ['Date', 'Decimal'];
  return known.find((type) => allFit(rows, at, type)) ?? 'String';
};

/** Types of a file that replaces all rows: those of the version before where all values fit. */
const typesOf = (rows: readonly Row[], before: Types | undefined): Types => {
  const kept = columns.map((_, at) => (before?.untyped[at] === true ? undefined : before?.types[at]));
  return {
    types: kept.map((type, at) => (type !== undefined && allFit(rows, at, type) ? type : typeOf(rows, at))),
    untyped: kept.map((type, at) => type === undefined && isEmpty(rows, at)),
  };
};

/** Types of a version and a file that is added to it. */
const joinedTypes = (base: Types, rows: readonly Row[], widen: boolean): Types => ({
  types: base.types.map((type, at) => {
    if (base.untyped[at] === true) return typeOf(rows, at);
    return widen && !allFit(rows, at, type) ? 'String' : type;
  }),
  untyped: base.untyped.map((untyped, at) => untyped && isEmpty(rows, at)),
});

const keyOf = (row: Row, entities: readonly boolean[]): string =>
  JSON.stringify(row.filter((_, at) => entities[at]));

/** Rows of a file that count: one of each key, in file order. */
const winnersOf = (rows: readonly Row[], keys: readonly string[], duplicates: 'first' | 'last'): number[] => {
  const chosen = new Map<string, number>();
  for (const at of rows.keys()) {
    const key = keys[at] ?? '';
    if (duplicates === 'last' || !chosen.has(key)) chosen.set(key, at);
  }
  return [...chosen.values()].sort((a, b) => a - b);
};

const upserted = (base: readonly Row[], rows: readonly Row[], entities: readonly boolean[], asked: Asked) => {
  const keys = rows.map((row) => keyOf(row, entities));
  const winners = winnersOf(rows, keys, asked.duplicates);
  const byKey = new Map(winners.map((at) => [keys[at] ?? '', rows[at] ?? []]));
  const known = new Set<string>();
  const kept = base.map((row) => {
    const key = keyOf(row, entities);
    known.add(key);
    return byKey.get(key) ?? row;
  });
  const added = winners.filter((at) => !known.has(keys[at] ?? ''));
  return [...kept, ...added.map((at) => rows[at] ?? [])];
};

/**
 * Result of applying a file without faults to the previous content of the dataset.
 * @param accepted types of the version that was current when the file was accepted; mode replace goes by them.
 */
export const applyFile = (
  base: Table | undefined,
  records: readonly Row[],
  asked: Asked,
  accepted: Types | undefined,
): Applied => {
  const whole = records.filter((record) => record.length === columns.length);
  let setAside = records.length - whole.length;
  if (setAside > 0 && !asked.quarantine) return { kind: 'failure', code: 'field_count' };

  const isFresh = asked.mode === 'replace' || base === undefined;
  const { types, untyped } = isFresh
    ? typesOf(whole, asked.mode === 'replace' ? accepted : undefined)
    : joinedTypes(base, whole, asked.widen);
  const rows = whole.filter((row) => row.every((value, at) => fits(types[at] ?? 'String', value)));
  if (rows.length < whole.length && !asked.quarantine) return { kind: 'failure', code: 'value' };
  setAside += whole.length - rows.length;

  // A column without values is no entity; the first values decide.
  const entities = types.map((type, at) => {
    const isDecided = !isFresh && (base.untyped[at] === false || untyped[at] === true);
    return isDecided ? base.entities[at] === true : untyped[at] === false && type !== 'Decimal';
  });
  const before = asked.mode === 'replace' ? [] : (base?.rows ?? []);
  const isKnown = base !== undefined && before.length > 0 && base.entities.includes(true);
  const key = isKnown ? base.entities : entities;
  const all = asked.mode === 'upsert' ? upserted(before, rows, key, asked) : [...before, ...rows];
  return { kind: 'table', table: { types, untyped, entities, rows: all }, setAside };
};

/** Text of a download, lines ended by LF: texts and dates quoted, numbers bare, nothing for null. */
export const tableText = ({ types, rows }: Table): string => {
  const shown = (value: string, at: number): string =>
    value === '' || types[at] === 'Decimal' ? value : quoted(value);
  return [columns.map(quoted), ...rows.map((row) => row.map(shown))]
    .map((fields) => `${fields.join(',')}\n`)
    .join('');
};
