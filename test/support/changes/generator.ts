/** Random files for a dataset: small, with every kind of value, and with keys that overlap. */
import type { Random } from '../../harness/random.js';
import { type Change, fileOf, namesOf, type Row, type Table, type TableColumn, valuesOf } from './table.js';

export interface SentFile {
  readonly change: Change;
  readonly content: string;
  readonly options: Readonly<Record<string, string | object>>;
  /** Number of records that must be quarantined. */
  readonly bad: number;
}

const key: readonly TableColumn[] = [
  { name: 'k', dataType: 'String', isEntity: true },
  { name: 'd', dataType: 'Date', isEntity: true },
];
const value: TableColumn = { name: 'v', dataType: 'Decimal', isEntity: false };
const further: readonly TableColumn[] = [
  { name: 't', dataType: 'String', isEntity: false },
  { name: 'e1', dataType: 'Decimal', isEntity: false },
  { name: 'e2', dataType: 'Date', isEntity: false },
  { name: 'e3', dataType: 'String', isEntity: false },
];

const texts = [
  'a',
  'A',
  'say "no", twice',
  "O'Neil; Ltd",
  'two\nlines',
  'Zürich',
  '日本 🚢',
  ' b ',
  '007',
  '"',
];
const days = ['2020-02-29', '2020-03-01', '1999-12-31', '2024-01-15', '2024-01-16', '2031-07-04'];

export interface Shape {
  /** Number of distinct values of the first key column. */
  readonly keys: number;
  /** Maximum number of rows of a file that replaces the dataset. */
  readonly rows: number;
}

const numberText = (random: Random): string => {
  const sign = random.chance(0.2) ? '-' : '';
  if (random.chance(0.04))
    return `${sign}12345678901234567890${random.between(1, 99)}.0123456${random.between(1, 9)}`;
  const whole = random.between(1, 9_999);
  return random.chance(0.5)
    ? `${sign}${whole}`
    : `${sign}${whole}.${random.between(0, 9)}${random.between(1, 9)}`;
};

const cell = (random: Random, { name, dataType }: TableColumn, shape: Shape): string | undefined => {
  if (random.chance(name === 'k' || name === 'd' ? 0.06 : 0.15)) return undefined;
  if (name === 'k') {
    const number = random.between(0, shape.keys - 1);
    return `${texts[number % texts.length]} ${number}`;
  }
  if (dataType === 'Date') return random.pick(days);
  return dataType === 'Decimal' ? numberText(random) : random.pick(texts);
};

const rowOf = (random: Random, columns: readonly TableColumn[], shape: Shape): Row =>
  Object.fromEntries(
    columns.flatMap((column) => {
      const text = cell(random, column, shape);
      return text === undefined ? [] : [[column.name, text]];
    }),
  );

const rowsOf = (random: Random, count: number, columns: readonly TableColumn[], shape: Shape): Row[] =>
  Array.from({ length: count }, () => rowOf(random, columns, shape));

const only = (row: Row, columns: readonly TableColumn[]): Row =>
  Object.fromEntries(columns.flatMap(({ name }) => (row[name] === undefined ? [] : [[name, row[name]]])));

const shuffled = <T>(random: Random, items: readonly T[]): T[] => {
  const remaining = [...items];
  return items.map(() => remaining.splice(random.between(0, remaining.length - 1), 1)[0]!);
};

/** Rows that mostly have a key of the dataset: an equal row, the same key with other values, or a new row. */
const overlappingRows = (
  random: Random,
  base: Table,
  count: number,
  columns: readonly TableColumn[],
  shape: Shape,
): Row[] =>
  Array.from({ length: count }, () => {
    const fresh = rowOf(random, columns, shape);
    if (base.rows.length === 0 || random.chance(0.3)) return fresh;
    const old = random.pick(base.rows);
    return random.chance(0.2) ? only(old, columns) : { ...without(fresh, ['k', 'd']), ...only(old, key) };
  });

const without = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** The whole dataset a day later: most rows unchanged, some changed, deleted or new. */
const nextDay = (random: Random, base: Table, columns: readonly TableColumn[], shape: Shape): Row[] => {
  const kept = base.rows.filter(() => !random.chance(0.06));
  const rows = kept.map((row) =>
    random.chance(0.06) ? { ...rowOf(random, columns, shape), ...only(row, key) } : only(row, columns),
  );
  const added = rowsOf(random, random.between(0, 3), columns, shape);
  return random.chance(0.3) ? shuffled(random, [...rows, ...added]) : [...rows, ...added];
};

const columnsOf = (random: Random, base: Table, mode: Change['mode']): TableColumn[] => {
  const own = mode === 'append' && random.chance(0.1) ? key.slice(0, 1) : key;
  const present = new Set(namesOf(base.columns));
  const more = further.filter(({ name }) =>
    random.chance(present.has(name) ? 0.85 : mode === 'replace' ? 0.4 : 0.06),
  );
  const columns = [...own, ...(random.chance(0.93) ? [value] : []), ...more];
  const enough = columns.length < 2 ? [...columns, value] : columns;
  return random.chance(0.2) ? shuffled(random, enough) : enough;
};

const keyOf = (random: Random, base: Table, columns: readonly TableColumn[]): string[] | undefined => {
  const shared = new Set(namesOf(columns.filter(({ name }) => namesOf(base.columns).includes(name))));
  const choices = [['k'], ['k', 'd'], ['d', 'k'], ...(shared.has('v') ? [['k', 'v']] : [])];
  return random.chance(0.5) ? undefined : random.pick(choices);
};

/** Inserts bad records, which leave gaps in the row numbers. */
const withBad = (
  random: Random,
  columns: readonly TableColumn[],
  rows: readonly Row[],
  count: number,
): (Row | string)[] => {
  const lines: (Row | string)[] = [...rows];
  for (let added = 0; added < count; added += 1)
    lines.splice(
      random.between(0, lines.length),
      0,
      columns
        .map(() => 'x')
        .concat('y')
        .join(','),
    );
  return lines;
};

const fileRows = (
  random: Random,
  base: Table,
  mode: Change['mode'],
  columns: readonly TableColumn[],
  shape: Shape,
) => {
  if (random.chance(0.06)) return [];
  const few = random.chance(0.5) ? 1 : random.between(1, 8);
  switch (mode) {
    case 'replace':
      return rowsOf(random, random.between(1, shape.rows), columns, shape);
    case 'append':
      return rowsOf(random, random.chance(0.1) ? shape.rows : few, columns, shape);
    case 'sync':
      return nextDay(random, base, columns, shape);
    default:
      return overlappingRows(random, base, random.chance(0.1) ? shape.rows : few, columns, shape);
  }
};

/** Removes rows with a repeated key, as most tables have none. */
const distinctRows = (rows: readonly Row[], names: readonly string[]): Row[] => [
  ...new Map(rows.map((row) => [valuesOf(row, names), row])).values(),
];

/** File of a change, without bad records and with the types in its manifest. */
export const plainFile = (change: Change): SentFile => {
  const { mode, columns, rows, key: named, onDuplicateKey } = change;
  const isKeyed = mode !== 'replace' && mode !== 'append';
  return {
    change,
    content: fileOf(columns, rows),
    bad: 0,
    options: {
      mode,
      ...(named === undefined ? {} : { key: named.join(',') }),
      ...(isKeyed ? { onDuplicateKey } : {}),
      ...(mode === 'delete' ? {} : { manifest: { columns } }),
    },
  };
};

/** Random file for a table. The upload may fail, for instance if keys are not unique. */
export const randomFile = (random: Random, base: Table, mode: Change['mode'], shape: Shape): SentFile => {
  const columns = columnsOf(random, base, mode);
  const drawn = fileRows(random, base, mode, columns, shape);
  const rows = random.chance(0.6) ? distinctRows(drawn, ['k', 'd']) : drawn;
  const bad = random.chance(0.15) ? random.between(1, 3) : 0;
  const isKeyed = mode !== 'replace' && mode !== 'append';
  const named = isKeyed ? keyOf(random, base, columns) : undefined;
  const onDuplicateKey = random.weighted({ fail: 20, first: 30, last: 50 });
  const change = { mode, columns, rows, key: named, onDuplicateKey };
  const file = plainFile(change);
  if (bad === 0) return file;
  const content = fileOf(columns, withBad(random, columns, rows, bad));
  return { ...file, content, bad, options: { ...file.options, onBadRow: 'quarantine' } };
};
