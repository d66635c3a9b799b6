/**
 * A table with dates as columns. Each row is one value column of one combination of labels (the entity columns besides
 * the date). A second value for the same labels and date adds a row, so that nothing is lost. Rows are ordered by value
 * column, then by the first appearance of the combination.
 *
 * Each query reads some value columns of one type, so that its memory does not grow with the number of columns and
 * ClickHouse formats each value by its own type. The nested selects are
 *
 *   groups    rows per combination, as arrays of (index of the date, value …)      as large as the data
 *   places    one row per combination and value column, in the order of the answer
 *   answer    the array spread over the dates, block by block while it is sent
 */
import { invalid } from '../lib/errors.js';
import { type StoredColumn, storageName } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import { clickHouseType, rowOrder } from '../rows/index.js';
import type { BoundValues } from '../storage/clickhouse/query-form.js';
import type { ReadSettings } from '../storage/clickhouse/reader.js';
import type { OutputColumn, TransposedSelect } from './formats/format.js';
import type { Plan } from './plan.js';
import { combinedColumn, freeName, plainColumn, withHeaders } from './projection.js';
import { buildTail, requireTimeColumn } from './statement.js';

export const maxDates = 10_000;

/** Header of the column that names the value column of a row. */
const columnHeader = 'Column';
/** Header for values without a date. */
const noDate = 'null';

/** Size of the result, from a first query. */
export interface TransposeShape {
  /** Ascending, `YYYY-MM-DD` or years. */
  readonly dates: readonly string[];
  /** True if some rows have no date. */
  readonly hasNoDate: boolean;
  /** Rows of the answer per value column. */
  readonly rowsPerColumn: number;
  /** True if some labels have several values for one date. */
  readonly hasRepeats: boolean;
}

export interface TransposeLayout {
  readonly date: StoredColumn;
  readonly labels: readonly OutputColumn[];
  /** Named by their headers. */
  readonly values: readonly StoredColumn[];
}

export const layOut = ({ version, chosen, options }: Plan): TransposeLayout => {
  const date = requireTimeColumn('transpose', version.columns);
  const others = chosen.filter((column) => column !== date);
  const headed = (isEntity: boolean): StoredColumn[] =>
    withHeaders(
      others.filter((column) => column.isEntity === isEntity),
      options.includeIds,
    );
  const entities = headed(true);
  const combined = options.combineEntities && entities.length > 1;
  return {
    date,
    labels: combined ? [combinedColumn(entities)] : entities.map(plainColumn),
    values: headed(false),
  };
};

/** Dates are compared in their stored type, years as text, like the headers. */
const dateOf = ({ date }: TransposeLayout): { readonly sql: string; readonly type: string } => {
  const { numbers, text } = columnTypeOf(date.physical);
  const name = storageName(date);
  return numbers === undefined
    ? { sql: name, type: clickHouseType(date.physical) }
    : { sql: text(name), type: 'String' };
};

/** Rows of the answer, with labels as l0, l1, … and values as v0, v1, … */
const baseSql = (plan: Plan, layout: TransposeLayout, values: readonly StoredColumn[]): string => {
  const { answerRows, options, order, chosen } = plan;
  const list = [
    rowOrder,
    `${dateOf(layout).sql} AS d`,
    ...layout.labels.map(({ sql }, index) => `${sql} AS l${index}`),
    ...values.map((column, index) => `${storageName(column)} AS v${index}`),
  ];
  const isLimited = options.top !== undefined || options.skip !== undefined;
  return `SELECT ${list.join(', ')} ${answerRows.sql}${isLimited ? ` ${buildTail(options, order, chosen)}` : ''}`;
};

const labelList = (layout: TransposeLayout): string[] => layout.labels.map((_, index) => `l${index}`);

/** Distinct dates, one per row. Reads one date more than the limit, to detect that there are too many. */
export const datesSql = (plan: Plan, layout: TransposeLayout): string =>
  `SELECT toString(d) AS date FROM (${baseSql(plan, layout, [])}) GROUP BY d ORDER BY d NULLS LAST LIMIT ${maxDates + 2}`;

/** Rows per value column: each combination has as many as its most repeated date has values. */
export const sizeSql = (plan: Plan, layout: TransposeLayout): string => {
  const labels = labelList(layout);
  const perDate = `SELECT ${[...labels, 'count() AS c'].join(', ')} FROM (${baseSql(plan, layout, [])}) GROUP BY ${[...labels, 'd'].join(', ')}`;
  const perGroup = `SELECT max(c) AS m FROM (${perDate})${labels.length === 0 ? '' : ` GROUP BY ${labels.join(', ')}`}`;
  return `SELECT toString(sum(m)) AS rows, toString(max(m)) AS most FROM (${perGroup})`;
};

export const factsOf = (
  dates: readonly { readonly date: string | null }[],
  size: { readonly rows: string; readonly most: string } | undefined,
): TransposeShape => {
  const named = dates.flatMap(({ date }) => (date === null ? [] : [date]));
  if (named.length > maxDates) {
    throw invalid(
      'too_many_dates',
      `transpose creates at most ${maxDates} date columns and the rows have more; narrow them with $filter or $last.`,
      { limit: maxDates },
    );
  }
  return {
    dates: named,
    hasNoDate: named.length < dates.length,
    rowsPerColumn: Number(size?.rows ?? 0),
    hasRepeats: Number(size?.most ?? 0) > 1,
  };
};

/** Headers of the answer: labels, `Column`, dates. They are unique, because JSON needs unique keys. */
export const headersOf = (layout: TransposeLayout, shape: TransposeShape): string[] => {
  const taken = new Set<string>();
  const wanted = [
    ...layout.labels.map(({ name }) => name),
    columnHeader,
    ...shape.dates,
    ...(shape.hasNoDate ? [noDate] : []),
  ];
  // Dates keep their names even if a label has the same one.
  for (const date of shape.dates) taken.add(date);
  return wanted.map((name, index) => {
    const isDate = index > layout.labels.length && index <= layout.labels.length + shape.dates.length;
    const free = isDate ? name : freeName(name, taken);
    taken.add(free);
    return free;
  });
};

interface TransposePart {
  readonly sql: string;
  readonly values: BoundValues;
  readonly settings: ReadSettings;
  /** Type of the value columns of this part. */
  readonly physical: StoredColumn['physical'];
}

// Most cells of the sorted intermediate rows, and of one block of the answer; some 30 bytes each.
const cellsPerQuery = 16_000_000;
const cellsPerBlock = 500_000;

/**
 * Most value columns per query. The time for query analysis grows with the square of them, even for few rows: 60 ms for
 * 100 and 2.5 s for 800.
 */
const columnsPerQuery = 100;

/** Splits value columns into runs of one type that fit into one query. */
export const splitValues = (
  values: readonly StoredColumn[],
  rowCount: number,
): readonly (readonly StoredColumn[])[] => {
  const width = Math.max(1, Math.min(columnsPerQuery, Math.floor(cellsPerQuery / Math.max(1, rowCount))));
  const parts: StoredColumn[][] = [];
  for (const column of values) {
    const last = parts.at(-1);
    if (last !== undefined && last.length < width && last[0]?.physical === column.physical) last.push(column);
    else parts.push([column]);
  }
  return parts;
};

const placeSql = (layout: TransposeLayout, shape: TransposeShape): string => {
  if (shape.dates.length === 0) return 'toUInt32(0)';
  const { type } = dateOf(layout);
  const index = `transform(assumeNotNull(d), {dates:Array(${type})}, range(length({dates:Array(${type})})), 0)`;
  return `toUInt32(${shape.hasNoDate ? `if(d IS NULL, ${shape.dates.length}, ${index})` : index})`;
};

interface TransposeInput {
  readonly plan: Plan;
  readonly layout: TransposeLayout;
  readonly shape: TransposeShape;
  readonly part: readonly StoredColumn[];
  readonly project: TransposedSelect['project'];
  readonly keyOf: TransposedSelect['keyOf'] | undefined;
  /** Converts values of mixed types to text. */
  readonly asText: boolean;
  /** SQL of the row number, selected as `m`. */
  readonly rowNumber: string | undefined;
}

export const partSql = ({
  plan,
  layout,
  shape,
  part,
  project,
  keyOf,
  asText,
  rowNumber,
}: TransposeInput): TransposePart => {
  const labels = labelList(layout);
  const width = shape.dates.length + (shape.hasNoDate ? 1 : 0);
  const oneType = new Set(part.map((column) => column.physical)).size === 1;
  const physical = asText && !oneType ? 's' : (part[0]?.physical ?? 's');
  const base = baseSql(plan, layout, part);
  const repeat = shape.hasRepeats
    ? `row_number() OVER (PARTITION BY ${[...labels, 'd'].join(', ')} ORDER BY ${rowOrder})`
    : '1';
  const cells = part.map((_, index) => `v${index}`);
  const rows = `SELECT ${[...labels, ...cells, rowOrder, `${placeSql(layout, shape)} AS p`, `${repeat} AS k`].join(', ')} FROM (${base})`;
  const groups = `SELECT ${[...labels, 'k', `min(${rowOrder}) AS f`, `groupArray((p, ${cells.join(', ')})) AS g`].join(', ')} FROM (${rows}) GROUP BY ${[...labels, 'k'].join(', ')}`;
  const ranked = shape.hasRepeats
    ? `SELECT *, min(f) OVER (${labels.length === 0 ? '' : `PARTITION BY ${labels.join(', ')}`}) AS o FROM (${groups})`
    : `SELECT *, f AS o FROM (${groups})`;
  const value = (index: number): string =>
    asText && !oneType ? `toString(x.${index + 2})` : `x.${index + 2}`;
  const arrays = cells.map((_, index) => `arrayMap(x -> tuple(${value(index)}), g)`);
  const places = `SELECT ${[...labels, 'j', 'g.1 AS ps', 'vs'].join(', ')} FROM (${ranked}) ARRAY JOIN range(1, ${part.length + 1}) AS j, [${arrays.join(', ')}] AS vs ORDER BY j, o, k`;
  const transposed = `SELECT ${[...labels, '{names:Array(String)}[j] AS n', `arrayReduce('groupArrayInsertAt(tuple(NULL), ${Math.max(1, width)})', vs, ps) AS a`, ...(rowNumber === undefined ? [] : [`${rowNumber} AS m`])].join(', ')} FROM (${places})`;
  const headers = headersOf(layout, shape);
  const labelColumns = [...labels, 'n'].map(
    (sql, index): OutputColumn => ({
      name: headers[index]!,
      sql,
      physical: layout.labels[index]?.physical ?? 's',
    }),
  );
  const names = headers.slice(labelColumns.length);
  return {
    sql: `SELECT ${project(labelColumns, { sql: 'a', physical, names })} FROM (${transposed})`,
    values: {
      ...plan.answerRows.values,
      dates: shape.dates,
      names: part.map(({ name }) => name),
      ...(keyOf === undefined
        ? {}
        : { keys: names.map((name, index) => keyOf(name, labelColumns.length + index)) }),
    },
    settings: {
      max_block_size: Math.max(1, Math.min(8_192, Math.floor(cellsPerBlock / Math.max(1, width)))),
    },
    physical,
  };
};
