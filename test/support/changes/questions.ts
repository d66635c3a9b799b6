/** Queries of a version, with the answers expected from a table in memory. */
import type { Random } from '../../harness/random.js';
import { csvOf, type Row, type Table, type TableColumn } from './table.js';

export interface Question {
  readonly options: Readonly<Record<string, string>>;
  readonly body: string;
  /** `Row-Count` header; null if there is none. */
  readonly rowCount: string | null;
}

/** Numbers are compared as integers of this common scale. */
const scale = 40;
const numberOf = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(`${whole}${fraction.padEnd(scale, '0')}`);
  return text.startsWith('-') ? -value : value;
};

/** Order of two values in `$orderby` and in filters. */
export const compareValues = ({ dataType }: TableColumn, a: string, b: string): number => {
  if (dataType !== 'Decimal') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  const [x, y] = [numberOf(a), numberOf(b)];
  return x < y ? -1 : x > y ? 1 : 0;
};

interface Condition {
  readonly text: string;
  readonly holds: (row: Row) => boolean;
}

const literal = ({ dataType }: TableColumn, value: string): string =>
  dataType === 'String' ? `'${value.replaceAll("'", "''")}'` : value;

const conditionOf = (random: Random, { columns, rows }: Table): Condition => {
  const column = random.pick(columns);
  const { name } = column;
  const value = rows.length === 0 ? undefined : random.pick(rows)[name];
  if (value === undefined)
    return random.chance(0.5)
      ? { text: `${name} eq null`, holds: (row) => row[name] === undefined }
      : { text: `${name} ne null`, holds: (row) => row[name] !== undefined };
  const order = (row: Row): number | undefined =>
    row[name] === undefined ? undefined : compareValues(column, row[name], value);
  if (column.dataType === 'String' || random.chance(0.4))
    return { text: `${name} eq ${literal(column, value)}`, holds: (row) => row[name] === value };
  const greater = random.chance(0.5);
  return {
    text: `${name} ${greater ? 'gt' : 'le'} ${literal(column, value)}`,
    holds: (row) => {
      const at = order(row);
      return at !== undefined && (greater ? at > 0 : at <= 0);
    },
  };
};

/** Sorts stably, with nulls last in both directions. */
const sorted = (rows: readonly Row[], columns: readonly TableColumn[], descending: boolean): Row[] =>
  [...rows].sort((one, other) => {
    for (const column of columns) {
      const [a, b] = [one[column.name], other[column.name]];
      if (a === undefined && b === undefined) continue;
      if (a === undefined) return 1;
      if (b === undefined) return -1;
      const order = compareValues(column, a, b);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });

/** All rows, in order. */
export const wholeTable = (table: Table): Question => ({
  options: { $skip: '0' },
  body: csvOf(table),
  rowCount: null,
});

/** Random filter, order, offset and limit. */
export const someRows = (random: Random, table: Table): Question => {
  const condition = random.chance(0.5) ? conditionOf(random, table) : undefined;
  const order = random.chance(0.4) ? [random.pick(table.columns), random.pick(table.columns)] : [];
  const descending = random.chance(0.5);
  const skip = random.chance(0.6) ? random.between(0, table.rows.length + 1) : 0;
  const top = random.chance(0.7) ? random.between(1, 12) : undefined;
  const matching = condition === undefined ? table.rows : table.rows.filter(condition.holds);
  const distinct = order.filter((column, at) => order.indexOf(column) === at);
  const ordered = distinct.length === 0 ? matching : sorted(matching, distinct, descending);
  const rows = ordered.slice(skip, top === undefined ? undefined : skip + top);
  return {
    options: {
      $skip: String(skip),
      ...(condition === undefined ? {} : { $filter: condition.text }),
      ...(distinct.length === 0
        ? {}
        : { $orderby: distinct.map(({ name }) => (descending ? `${name} desc` : name)).join(',') }),
      ...(top === undefined ? {} : { $top: String(top) }),
    },
    body: csvOf({ columns: table.columns, rows }),
    rowCount: top === undefined ? null : String(matching.length),
  };
};

/** Number of rows, with a random filter. */
export const countOf = (random: Random, table: Table): Question => {
  const condition = random.chance(0.7) ? conditionOf(random, table) : undefined;
  const matching = condition === undefined ? table.rows : table.rows.filter(condition.holds);
  return {
    options: { $count: 'true', ...(condition === undefined ? {} : { $filter: condition.text }) },
    body: String(matching.length),
    rowCount: null,
  };
};

/** Aggregates of all rows that depend on their number, values and order. */
export const aggregateOf = ({ columns, rows }: Table): Question => {
  const known = columns.filter(({ dataType }) => dataType !== 'String');
  const output: TableColumn[] = [];
  const values: Record<string, string> = {};
  const steps: string[] = [];
  const add = (column: TableColumn, method: string, value: string | undefined): void => {
    const name = `${method}_${column.name}`;
    steps.push(`${column.name} with ${method} as ${name}`);
    output.push({ ...column, name });
    if (value !== undefined) values[name] = value;
  };
  for (const column of known) {
    const present = rows.flatMap((row) => row[column.name] ?? []);
    const ordered = [...present].sort((a, b) => compareValues(column, a, b));
    add(column, 'min', ordered[0]);
    add(column, 'max', ordered.at(-1));
  }
  for (const column of columns) {
    const present = rows.flatMap((row) => row[column.name] ?? []);
    add(column, 'first', present[0]);
    add(column, 'last', present.at(-1));
  }
  steps.push('$count as n');
  output.push({ name: 'n', dataType: 'Decimal', isEntity: false });
  values.n = String(rows.length);
  return {
    options: { $apply: `aggregate(${steps.join(',')})` },
    body: csvOf({ columns: output, rows: [values] }),
    rowCount: null,
  };
};

/** Expected date range of a version: that of its first Date column that is an entity. */
export const datesOf = ({ columns, rows }: Table): { minDate: string | null; maxDate: string | null } => {
  const column = columns.find(({ dataType, isEntity }) => dataType === 'Date' && isEntity);
  const dates = column === undefined ? [] : rows.flatMap((row) => row[column.name] ?? []).sort();
  return { minDate: dates[0] ?? null, maxDate: dates.at(-1) ?? null };
};
