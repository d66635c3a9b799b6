/** Model of a dataset as a table in memory, with simple loops for each kind of change. */

/** Values by column name, without nulls. Numbers and dates are spelled as in a download. */
export type Row = Readonly<Record<string, string>>;

export interface TableColumn {
  readonly name: string;
  readonly dataType: 'Date' | 'Decimal' | 'String';
  readonly isEntity: boolean;
}

export interface Table {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly Row[];
}

export const emptyTable: Table = { columns: [], rows: [] };

/** An uploaded file and its options. */
export interface Change {
  readonly mode: 'replace' | 'append' | 'upsert' | 'sync' | 'delete';
  readonly columns: readonly TableColumn[];
  /** Rows of the file without bad records. */
  readonly rows: readonly Row[];
  /** Names of the key columns; undefined: the entity columns. */
  readonly key: readonly string[] | undefined;
  readonly onDuplicateKey: 'fail' | 'first' | 'last';
}

/** Row counts of an upload process; all null for mode replace. */
export interface Counts {
  readonly inserted: number | null;
  readonly replaced: number | null;
  readonly unchanged: number | null;
  readonly removed: number | null;
}

export type Applied =
  | { readonly kind: 'table'; readonly table: Table; readonly counts: Counts }
  | { readonly kind: 'failure'; readonly code: string };

/** Values of some columns as a comparable text, in which null equals null. */
export const valuesOf = (row: Row, names: readonly string[]): string =>
  JSON.stringify(names.map((name) => row[name] ?? null));

export const namesOf = (columns: readonly TableColumn[]): string[] => columns.map(({ name }) => name);

/** Columns of the first list, then those that only the second has. */
const joined = (first: readonly TableColumn[], second: readonly TableColumn[]): TableColumn[] => {
  const known = new Set(namesOf(first));
  return [...first, ...second.filter(({ name }) => !known.has(name))];
};

const isUnique = (keys: readonly string[]): boolean => new Set(keys).size === keys.length;

/** One row of each key, in file order. */
const winnersOf = (
  rows: readonly Row[],
  key: readonly string[],
  keep: 'first' | 'last',
): Map<string, Row> => {
  const chosen = new Map<string, number>();
  for (const [at, row] of rows.entries()) {
    const own = valuesOf(row, key);
    if (keep === 'last' || !chosen.has(own)) chosen.set(own, at);
  }
  const inOrder = [...chosen].sort(([, a], [, b]) => a - b);
  return new Map(inOrder.map(([own, at]) => [own, rows[at] ?? {}]));
};

const keyed = (base: Table, change: Change): Applied => {
  const { mode, onDuplicateKey } = change;
  const columns = mode === 'delete' ? base.columns : joined(base.columns, change.columns);
  const typed = base.rows.length > 0 ? base.columns : change.columns;
  const key = change.key ?? namesOf(typed.filter(({ isEntity }) => isEntity));
  const keysBefore = base.rows.map((row) => valuesOf(row, key));
  const keysOfFile = change.rows.map((row) => valuesOf(row, key));
  if (onDuplicateKey === 'fail' && !(isUnique(keysBefore) && isUnique(keysOfFile)))
    return { kind: 'failure', code: 'key_not_unique' };
  const winners = winnersOf(change.rows, key, onDuplicateKey === 'first' ? 'first' : 'last');
  const hits = keysBefore.filter((own) => winners.has(own)).length;
  if (mode === 'delete') {
    const rows = base.rows.filter((_, at) => !winners.has(keysBefore[at] ?? ''));
    const counts = { inserted: 0, replaced: 0, unchanged: 0, removed: hits };
    return { kind: 'table', table: { columns, rows }, counts };
  }
  const names = namesOf(columns);
  let unchanged = 0;
  const rows: Row[] = [];
  for (const [at, row] of base.rows.entries()) {
    const own = winners.get(keysBefore[at] ?? '');
    if (own !== undefined && valuesOf(own, names) === valuesOf(row, names)) unchanged += 1;
    if (own !== undefined || mode === 'upsert') rows.push(own ?? row);
  }
  const known = new Set(keysBefore);
  const added = [...winners].filter(([own]) => !known.has(own)).map(([, row]) => row);
  const counts = {
    inserted: added.length,
    replaced: hits - unchanged,
    unchanged,
    removed: mode === 'sync' ? base.rows.length - hits : 0,
  };
  return { kind: 'table', table: { columns, rows: [...rows, ...added] }, counts };
};

/** Applies a change to a table. */
export const applyChange = (base: Table, change: Change): Applied => {
  const { mode, columns, rows } = change;
  if (mode === 'replace') {
    const counts = { inserted: null, replaced: null, unchanged: null, removed: null };
    return { kind: 'table', table: { columns, rows }, counts };
  }
  if (mode !== 'append') return keyed(base, change);
  const counts = { inserted: rows.length, replaced: 0, unchanged: 0, removed: 0 };
  return {
    kind: 'table',
    table: { columns: joined(base.columns, columns), rows: [...base.rows, ...rows] },
    counts,
  };
};

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** CSV of a download: strings and dates quoted, numbers unquoted, nulls empty. */
export const csvOf = ({ columns, rows }: Table): string => {
  const cell = (row: Row, { name, dataType }: TableColumn): string => {
    const value = row[name];
    if (value === undefined) return '';
    return dataType === 'Decimal' ? value : quoted(value);
  };
  return [
    namesOf(columns).map(quoted).join(','),
    ...rows.map((row) => columns.map((column) => cell(row, column)).join(',')),
  ]
    .map((line) => `${line}\r\n`)
    .join('');
};

/** CSV of an upload, quoted only where necessary. */
export const fileOf = (columns: readonly TableColumn[], lines: readonly (Row | string)[]): string => {
  const cell = (value: string | undefined): string =>
    value !== undefined && /[",\r\n]/.test(value) ? quoted(value) : (value ?? '');
  return [
    namesOf(columns).join(','),
    ...lines.map((line) =>
      typeof line === 'string' ? line : columns.map(({ name }) => cell(line[name])).join(','),
    ),
  ]
    .map((line) => `${line}\n`)
    .join('');
};
