/**
 * SQL of column statistics. A first query counts and finds the bounds, a second one fills the histogram between them. The
 * most frequent texts may need another query.
 */
import { type StoredColumn, storageName } from '../../model/column.js';
import { columnTypeOf } from '../../model/column-types/column-types.js';
import { isExactDouble } from '../../model/column-types/double.js';

/** Up to this many rows, distinct counts and quantiles are exact. */
export const exactRows = 1_000_000;
/** Up to this many distinct values are counted exactly, for any number of rows. */
const exactDistinct = 100;

const levels = [0.05, 0.25, 0.5, 0.75, 0.95] as const;
const bins = 20;

interface Bin {
  readonly from: number | string;
  /** Exclusive, except in the last bin. */
  readonly to: number | string;
  readonly count: number;
}

export interface ColumnSummary {
  readonly id: number;
  readonly name: string;
  readonly dataType: StoredColumn['dataType'];
  readonly rows: number;
  readonly nulls: number;
  readonly distinct: number;
  /** False if `distinct` is an estimate. */
  readonly distinctExact: boolean;
  /** A text if the number has more digits than a double. */
  readonly min: number | string | null;
  readonly max: number | string | null;
  readonly mean?: number | null;
  readonly quantiles?: Readonly<Record<string, number | string | null>>;
  /** Bins of equal width. */
  readonly histogram?: readonly Bin[];
  /** Most frequent values. */
  readonly top?: readonly { readonly value: string; readonly count: number }[];
}

/** Longer texts are truncated, which also bounds the stored summary. */
const shownCharacters = 200;

export const shownText = (sql: string): string =>
  `if(lengthUTF8(${sql}) > ${shownCharacters}, concat(substringUTF8(${sql}, 1, ${shownCharacters}), '…'), ${sql})`;

/** SQL of a number that can be averaged and sorted; a date is the days since 1970. Undefined for texts. */
const measureOf = (column: StoredColumn, sql = storageName(column)): string | undefined =>
  columnTypeOf(column.physical).measure?.(sql);

export type ColumnStats = readonly [
  nulls: number,
  distinct: number,
  /** Number of distinct values, exact up to `exactDistinct`. */
  few: number,
  min: string | null,
  max: string | null,
  mean: number | null,
  quantiles: readonly (number | null)[],
  /** Lowest and highest measure. */
  low: number | null,
  high: number | null,
  /** Bytes of the longest text. */
  longest: number | null,
];

/**
 * Quantiles of a sorted array, interpolated like `quantileExactInclusive` (type 7 of Hyndman and Fan, the default of R and
 * pandas).
 */
const quantilesOfSorted = (column: StoredColumn, sorted: string): string => {
  const at = (index: string): string => measureOf(column, `${sorted}[${index}]`)!;
  const [low, high] = [at('toUInt64(h)'), at(`least(toUInt64(h) + 1, length(${sorted}))`)];
  const part = '(h - toUInt64(h))';
  // The difference of two finite doubles may overflow.
  const between = `if(isFinite(${high} - ${low}), ${low} + ${part} * (${high} - ${low}), ${low} * (1 - ${part}) + ${high} * ${part})`;
  return `if(empty(${sorted}), [], arrayMap(h -> ${between},
    arrayMap(level -> 1 + level * (length(${sorted}) - 1), [${levels.join(', ')}])))`;
};

/** True for types that sort in half the time that a hash set takes. */
const isSorted = ({ physical }: StoredColumn): boolean => {
  const { dates, numbers } = columnTypeOf(physical);
  return dates === 'days' || numbers === 'doubles';
};

interface CountsAndQuantiles {
  readonly distinct: string;
  readonly few: string;
  /** Undefined for columns without a measure. */
  readonly quantiles: string | undefined;
}

const countsAndQuantilesSql = (column: StoredColumn, isExact: boolean): CountsAndQuantiles => {
  const value = columnTypeOf(column.physical).key(storageName(column));
  const measure = measureOf(column);
  const quantilesBy = (name: string): string | undefined =>
    measure && `${name}(${levels.join(', ')})(ifNull(${measure}, nan))`;
  if (!isExact)
    return {
      distinct: `uniqCombined64(${value})`,
      few: `uniqUpTo(${exactDistinct})(${value})`,
      quantiles: quantilesBy('quantilesTDigest'),
    };
  // The exact count is also the count of few values.
  const few = `distinct_${column.id}`;
  if (!isSorted(column))
    return {
      distinct: `uniqExact(${value}) AS ${few}`,
      few,
      quantiles: quantilesBy('quantilesExactInclusive'),
    };
  const sorted = `sorted_${column.id}`;
  return {
    distinct: `length(arrayCompact(arraySort(groupArray(${value})) AS ${sorted})) AS ${few}`,
    few,
    quantiles: quantilesOfSorted(column, sorted),
  };
};

/**
 * Scales values by a power of two if their sum overflows. `avgOrNull`, because ClickHouse would move the division out of
 * `avg`.
 */
const meanSql = ({ physical }: StoredColumn, measure: string): string => {
  const plain = `avg(${measure})`;
  const scaled =
    columnTypeOf(physical).numbers === 'doubles' ? `avgOrNull(${measure} / ${2 ** 96}) * ${2 ** 96}` : 'NULL';
  return `multiIf(isFinite(${plain}), ${plain}, isFinite(${scaled}), ${scaled}, NULL)`;
};

export const statsSql = (column: StoredColumn, rows: number): string => {
  const name = storageName(column);
  const measure = measureOf(column);
  const { distinct, few, quantiles } = countsAndQuantilesSql(column, rows <= exactRows);
  const own =
    measure === undefined || quantiles === undefined
      ? `NULL, [], NULL, NULL, ${column.dataType === 'String' ? `max(length(${name}))` : 'NULL'}`
      : `${meanSql(column, measure)}, ${quantiles}, min(${measure}), max(${measure}), NULL`;
  const shown = (sql: string): string => (column.dataType === 'String' ? shownText(sql) : sql);
  return `(countIf(isNull(${name})), ${distinct}, ${few},
    ${shown(`toString(min(${name}))`)}, ${shown(`toString(max(${name}))`)}, ${own})`;
};

/** False if doubles are too coarse for bins between the bounds. */
export const hasBins = (low: number | null, high: number | null): boolean =>
  low !== null && high !== null && (high - low) / bins > 0 && Number.isFinite(high - low);

export interface MeasureRange {
  /** Lowest and highest measure. */
  readonly low: number;
  readonly high: number;
  /** Rows without a value. */
  readonly nulls: number;
}

/**
 * Counts values per bin. The quotient gives a bin that may be off by one because of rounding, so the shown edges decide.
 * Without nulls the arithmetic takes two thirds of the time.
 */
export const histogramSql = (column: StoredColumn, { low, high, nulls }: MeasureRange): string => {
  const name = storageName(column);
  const measure = measureOf(column, nulls === 0 ? `assumeNotNull(${name})` : name);
  // ClickHouse would read a double without a fraction as an integer, and compare measures with it exactly.
  const first = `toFloat64(${low})`;
  const width = `toFloat64(${(high - low) / bins})`;
  const near = `toInt32(least((${measure} - ${first}) / ${width}, ${bins - 1}))`;
  const edge = (bin: string): string => `${first} + ${width} * ${bin}`;
  const isAbove = `(${near} < ${bins - 1} AND ${measure} >= ${edge(`(${near} + 1)`)})`;
  const bin = `${near} - (${measure} < ${edge(near)}) + ${isAbove}`;
  return `countResample(0, ${bins}, 1)(ifNull(${bin}, -1))`;
};

/** Columns with up to this many distinct texts share a query. */
const fewTexts = 1_000;
/** Memory of that query for texts. */
const sharedTextBytes = 64 * 1024 * 1024;

interface SplitTexts {
  /** Columns that share one query. */
  readonly together: readonly StoredColumn[];
  /** Columns without repeated texts. */
  readonly unique: readonly StoredColumn[];
  /** Columns that need their own query. */
  readonly alone: readonly StoredColumn[];
}

/** Splits text columns by the query that finds their most frequent values. */
export const splitTexts = (
  texts: readonly { readonly column: StoredColumn; readonly stats: ColumnStats }[],
  rows: number,
): SplitTexts => {
  const [together, unique, alone]: StoredColumn[][] = [[], [], []];
  let bytes = 0;
  for (const { column, stats } of texts) {
    const [nulls, distinct, , , , , , , , longest] = stats;
    const own = Number(distinct) * Number(longest ?? 0);
    if (Number(distinct) <= fewTexts && bytes + own <= sharedTextBytes) {
      bytes += own;
      together!.push(column);
    } else if (rows <= exactRows && Number(distinct) === rows - Number(nulls)) unique!.push(column);
    else alone!.push(column);
  }
  return { together: together!, unique: unique!, alone: alone! };
};

/**
 * Most frequent texts with counts, in one aggregate. Exact for up to `fewTexts` distinct texts: topK has room for twice as
 * many, so none is ever evicted.
 */
export const topTextsSql = (column: StoredColumn, most: number): string =>
  `arrayMap(x -> (${shownText('x.1')}, x.2), arraySlice(arraySort(x -> (-toInt64(x.2), x.1),
    topK(${2 * fewTexts}, 1, 'counts')(${storageName(column)})), 1, ${most}))`;

/** Smallest texts of a column without repeated texts. */
export const firstTextsSql = (column: StoredColumn, most: number): string =>
  `arrayMap(x -> (${shownText('x')}, 1), groupArraySorted(${most})(${storageName(column)}))`;

const dayText = (days: number): string => new Date(Math.round(days) * 86_400_000).toISOString().slice(0, 10);

/** A number if a double has all of its digits, otherwise text. */
const shown = (column: StoredColumn, text: string | null): number | string | null =>
  column.dataType === 'Decimal' && text !== null && isExactDouble(text) ? Number(text) : text;

const shownMeasure = (column: StoredColumn, value: number | null): number | string | null =>
  value === null || column.dataType === 'Decimal' ? value : dayText(value);

const histogramOf = (
  column: StoredColumn,
  stats: ColumnStats,
  counts: readonly number[],
  rows: number,
): Bin[] => {
  const [nulls, , , , , , , low, high] = stats;
  if (low === null || high === null) return [];
  if (low === high || counts.length === 0)
    return [
      {
        from: shownMeasure(column, low) ?? low,
        to: shownMeasure(column, high) ?? high,
        count: rows - Number(nulls),
      },
    ];
  const width = (high - low) / bins;
  return Array.from({ length: bins }, (_, index) => ({
    from: shownMeasure(column, low + width * index) ?? low,
    to: shownMeasure(column, index === bins - 1 ? high : low + width * (index + 1)) ?? high,
    count: Number(counts[index] ?? 0),
  }));
};

export const summaryOf = (
  column: StoredColumn,
  stats: ColumnStats,
  rest: { readonly rows: number; readonly counts: readonly number[]; readonly top: ColumnSummary['top'] },
): ColumnSummary => {
  const [nulls, distinct, few, min, max, mean, quantiles] = stats;
  const { rows, counts, top } = rest;
  const isFew = Number(few) <= exactDistinct;
  const measured = measureOf(column) !== undefined;
  return {
    id: column.id,
    name: column.name,
    dataType: column.dataType,
    rows,
    nulls: Number(nulls),
    distinct: isFew ? Number(few) : Number(distinct),
    distinctExact: isFew || rows <= exactRows,
    min: shown(column, min),
    max: shown(column, max),
    ...(column.dataType === 'Decimal' ? { mean } : {}),
    ...(measured
      ? {
          quantiles: Object.fromEntries(
            levels.map((level, index) => [String(level), shownMeasure(column, quantiles[index] ?? null)]),
          ),
          histogram: histogramOf(column, stats, counts, rows),
        }
      : {}),
    ...(top === undefined ? {} : { top }),
  };
};
