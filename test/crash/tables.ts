/**
 * Reference model of a dataset after each upload, computed from the files alone with plain loops instead of chunks,
 * segments and merges.
 */

import { columns, quoted } from './files.js';
import type { UploadOptions } from './upload-options.js';

type Type = 'Date' | 'Decimal' | 'String';
type Row = readonly string[];

/** Column types by position; every file has the same columns. */
export interface Types {
  readonly types: readonly Type[];
  /** Columns without values so far, which take the type of the first ones. */
  readonly untyped: readonly boolean[];
}

export interface Table extends Types {
  /** Key columns of an upsert. */
  readonly entities: readonly boolean[];
  /** Values as text; empty is null. */
  readonly rows: readonly Row[];
}

export type Applied =
  | { readonly kind: 'table'; readonly table: Table; readonly quarantined: number }
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

/** Type of a column by its values; a column without values is text. */
const typeOf = (rows: readonly Row[], at: number): Type => {
  if (isEmpty(rows, at)) return 'String';
  const known: readonly Type[] = ['Date', 'Decimal'];
  return known.find((type) => allFit(rows, at, type)) ?? 'String';
};

/** Types after mode replace: those of the previous version where all values fit. */
const typesOf = (rows: readonly Row[], before: Types | undefined): Types => {
  const kept = columns.map((_, at) => (before?.untyped[at] === true ? undefined : before?.types[at]));
  return {
    types: kept.map((type, at) => (type !== undefined && allFit(rows, at, type) ? type : typeOf(rows, at))),
    untyped: kept.map((type, at) => type === undefined && isEmpty(rows, at)),
  };
};

/** Types of a version with a file added. */
const joinedTypes = (base: Types, rows: readonly Row[], widen: boolean): Types => ({
  types: base.types.map((type, at) => {
    if (base.untyped[at] === true) return typeOf(rows, at);
    return widen && !allFit(rows, at, type) ? 'String' : type;
  }),
  untyped: base.untyped.map((untyped, at) => untyped && isEmpty(rows, at)),
});

const keyOf = (row: Row, entities: readonly boolean[]): string =>
  JSON.stringify(row.filter((_, at) => entities[at]));

/** Indexes of the rows used, one per key, in file order. */
const winnersOf = (rows: readonly Row[], keys: readonly string[], duplicates: 'first' | 'last'): number[] => {
  const chosen = new Map<string, number>();
  for (const at of rows.keys()) {
    const key = keys[at] ?? '';
    if (duplicates === 'last' || !chosen.has(key)) chosen.set(key, at);
  }
  return [...chosen.values()].sort((a, b) => a - b);
};

const upserted = (
  base: readonly Row[],
  rows: readonly Row[],
  entities: readonly boolean[],
  uploadOptions: UploadOptions,
) => {
  const keys = rows.map((row) => keyOf(row, entities));
  const winners = winnersOf(rows, keys, uploadOptions.duplicates);
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
 * Applies a well-formed file to the previous table of the dataset.
 * @param accepted types of the version that was current when the file was accepted; used in mode replace
 */
export const applyFile = (
  base: Table | undefined,
  records: readonly Row[],
  uploadOptions: UploadOptions,
  accepted: Types | undefined,
): Applied => {
  const whole = records.filter((record) => record.length === columns.length);
  let quarantined = records.length - whole.length;
  if (quarantined > 0 && !uploadOptions.quarantine) return { kind: 'failure', code: 'field_count' };

  const isFresh = uploadOptions.mode === 'replace' || base === undefined;
  const { types, untyped } = isFresh
    ? typesOf(whole, uploadOptions.mode === 'replace' ? accepted : undefined)
    : joinedTypes(base, whole, uploadOptions.widen);
  const rows = whole.filter((row) => row.every((value, at) => fits(types[at] ?? 'String', value)));
  if (rows.length < whole.length && !uploadOptions.quarantine) return { kind: 'failure', code: 'value' };
  quarantined += whole.length - rows.length;

  // A column without values is not an entity; its first values decide.
  const entities = types.map((type, at) => {
    const isDecided = !isFresh && (base.untyped[at] === false || untyped[at] === true);
    return isDecided ? base.entities[at] === true : untyped[at] === false && type !== 'Decimal';
  });
  const before = uploadOptions.mode === 'replace' ? [] : (base?.rows ?? []);
  const isKnown = base !== undefined && before.length > 0 && base.entities.includes(true);
  const key = isKnown ? base.entities : entities;
  const all =
    uploadOptions.mode === 'upsert' ? upserted(before, rows, key, uploadOptions) : [...before, ...rows];
  return { kind: 'table', table: { types, untyped, entities, rows: all }, quarantined };
};

/** Expected download with LF line ends: texts and dates quoted, numbers unquoted, null empty. */
export const tableText = ({ types, rows }: Table): string => {
  const shown = (value: string, at: number): string =>
    value === '' || types[at] === 'Decimal' ? value : quoted(value);
  return [columns.map(quoted), ...rows.map((row) => row.map(shown))]
    .map((fields) => `${fields.join(',')}\n`)
    .join('');
};
