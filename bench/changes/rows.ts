/**
 * The changing table: a day and a series, which form its key, and numeric columns. Every value is a function of row
 * number, column and revision, both in the files and in the SQL of other databases.
 */

export interface TableShape {
  readonly title: string;
  readonly rows: number;
  /** Number of numeric columns. */
  readonly values: number;
}

/** Row numbers of a file, and the revision of their values. */
export interface FileRows {
  readonly numbers: Iterable<number>;
  revisionOf(row: number): number;
}

/** Number of series; a day has one row of each. */
export const series = 10_000;
const firstDay = Date.UTC(2000, 0, 1);
const dayMs = 86_400_000;
const modulus = 1_000_003;
const rowsPerSlice = 20_000;

/** Text of every value, cached so that generating files is cheap. */
let texts: string[] | undefined;
const textOf = (value: number): string => {
  texts ??= Array.from({ length: modulus }, (_, at) => String(at / 100));
  return texts[value] ?? '';
};

const numberOf = (row: number, revision: number, column: number): number =>
  (row * 7_919 + revision * 13 + column * 104_729) % modulus;

const lineOf = ({ values }: TableShape, row: number, revision: number): string => {
  const day = new Date(firstDay + Math.floor(row / series) * dayMs).toISOString().slice(0, 10);
  let line = `${day},series ${row % series}`;
  for (let column = 0; column < values; column += 1) line += `,${textOf(numberOf(row, revision, column))}`;
  return `${line}\n`;
};

export const valueNames = ({ values }: TableShape): string[] =>
  Array.from({ length: values }, (_, at) => `v${at}`);

/** Generates the CSV file in memory. */
export async function* fileOf(shape: TableShape, { numbers, revisionOf }: FileRows): AsyncGenerator<Buffer> {
  yield Buffer.from(`day,series,${valueNames(shape).join(',')}\n`);
  let lines: string[] = [];
  for (const row of numbers) {
    lines.push(lineOf(shape, row, revisionOf(row)));
    if (lines.length < rowsPerSlice / shape.values) continue;
    yield Buffer.from(lines.join(''));
    lines = [];
  }
  yield Buffer.from(lines.join(''));
}

/** Generates a file of keys only, for a delete. */
export async function* keysOf(numbers: Iterable<number>): AsyncGenerator<Buffer> {
  const lines = ['day,series\n'];
  for (const row of numbers) lines.push(lineOf({ title: '', rows: 0, values: 0 }, row, 0));
  yield Buffer.from(lines.join(''));
}

export function* numbersTo(rows: number): Generator<number> {
  for (let row = 0; row < rows; row += 1) yield row;
}

/** Row numbers spread evenly over the table. */
export function* scattered(rows: number, count: number, first: number): Generator<number> {
  const distance = Math.floor(rows / count);
  for (let at = 0; at < count; at += 1) yield (at * distance + first) % rows;
}

/** SQL for the value of a column in row number `row`. */
export const valueSql = (row: string, revision: number, column: number): string =>
  `((${row} * 7919 + ${revision * 13 + column * 104_729}) % ${modulus}) / 100.0`;

/** SQL condition that selects the rows of `scattered`. */
export const scatteredSql = (row: string, rows: number, count: number, first: number): string => {
  const distance = Math.floor(rows / count);
  return `${row} % ${distance} = ${first % distance} AND ${row} < ${distance * count}`;
};
