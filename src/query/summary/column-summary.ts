/**
 * SQL of what a column holds, over all rows. A first pass counts and finds the bounds, a second one fills the
 * histogram between them; the most frequent texts are a question of their own.
 */
import { type StoredColumn, storageName } from '../../model/column.js';
import { columnTypeOf } from '../../model/column-types/column-types.js';

/** Up to this many rows, distinct counts and quantiles are exact. */
export const exactRows = 1_000_000;
/** Most distinct values that are counted exactly, for any number of rows. */
const exactDistinct = 100;

const levels = [0.05, 0.25, 0.5, 0.75, 0.95] as const;
const bins = 20;

interface Bin {
  readonly from: number | string;
  /** The last bin includes it. */
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
  /** False: an estimate. */
  readonly distinctExact: boolean;
  /** Numbers with more digits than a double has are texts. */
  readonly min: number | string | null;
  readonly max: number | string | null;
  readonly mean?: number | null;
  readonly quantiles?: Readonly<Record<string, number | string | null>>;
  /** Equally wide. */
  readonly histogram?: readonly Bin[];
  /** The most frequent values. */
  readonly top?: readonly { readonly value: string; readonly count: number }[];
}

/** Characters of a text that are shown; longer ones end with an ellipsis. Bounds what is kept per column. */
const shownCharacters = 200;

/** A text as it is shown. */
export const shownText = (sql: string): string =>
  `if(lengthUTF8(${sql}) > ${shownCharacters}, concat(substringUTF8(${sql}, 1, ${shownCharacters}), '…'), ${sql})`;

/** As a number that can be averaged and sorted: dates as days since 1970; null for other texts. */
const measureOf = (column: StoredColumn, sql = storageName(column)): string | undefined =>
  columnTypeOf(column.physical).measure?.(sql);

/**
 * nulls, distinct, distinct up to a bound, least, greatest, mean, quantiles, lowest and highest measure, bytes of the
 * longest text.
 */
export type ColumnStats = readonly [
  nulls: number,
  distinct: number,
  few: number,
  min: string | null,
  max: string | null,
  mean: number | null,
  quantiles: readonly (number | null)[],
  low: number | null,
  high: number | null,
  longest: number | null,
];

/**
 * Quantiles of values in order, interpolated as `quantileExactInclusive` does (type 7 of Hyndman and Fan, which R and pandas
 * have as their default).
 */
const quantilesOfSorted = (column: StoredColumn, sorted: string): string => {
  const at = (place: string): string => measureOf(column, `${sorted}[${place}]`)!;
  const [low, high] = [at('toUInt64(h)'), at(`least(toUInt64(h) + 1, length(${sorted}))`)];
  const part = '(h - toUInt64(h))';
  // The difference of two finite doubles may be infinite.
  const between = `if(isFinite(${high} - ${low}), ${low} + ${part} * (${high} - ${low}), ${low} * (1 - ${part}) + ${high} * ${part})`;
  return `if(empty(${sorted}), [], arrayMap(h -> ${between},
    arrayMap(level -> 1 + level * (length(${sorted}) - 1), [${levels.join(', ')}])))`;
};

/** True for values that are sorted in half of the time that a set of them takes. */
const isSorted = ({ physical }: StoredColumn): boolean => {
  const { dates, numbers } = columnTypeOf(physical);
  return dates === 'days' || numbers === 'doubles';
};

interface CountsAndQuantiles {
  readonly distinct: string;
  readonly few: string;
  /** Undefined for what has no measure. */
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
  // Exact counts need no count of their own for few values.
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
 * Values are scaled by a power of two where their sum leaves the range of doubles. ClickHouse would take the division out
 * of `avg`, and leaves `avgOrNull` as it is.
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

/** False where doubles are too coarse for bins between the bounds. */
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
 * Values of each bin. The quotient names a bin, at most one off where it was rounded; the edges themselves decide, so that
 * a value on an edge is counted where it is shown. Without nulls the arithmetic takes two thirds of the time.
 */
export const histogramSql = (column: StoredColumn, { low, high, nulls }: MeasureRange): string => {
  const name = storageName(column);
  const measure = measureOf(column, nulls === 0 ? `assumeNotNull(${name})` : name);
  const width = (high - low) / bins;
  const near = `toInt32(least((${measure} - ${low}) / ${width}, ${bins - 1}))`;
  const edge = (bin: string): string => `${low} + ${width} * ${bin}`;
  const isAbove = `(${near} < ${bins - 1} AND ${measure} >= ${edge(`(${near} + 1)`)})`;
  const bin = `${near} - (${measure} < ${edge(near)}) + ${isAbove}`;
  return `countResample(0, ${bins}, 1)(ifNull(${bin}, -1))`;
};

/** Distinct texts up to which a column is counted together with others. */
const fewTexts = 1_000;
/** Bytes of the texts that one query keeps for that. */
const keptTextBytes = 64 * 1024 * 1024;

interface SplitTexts {
  /** Counted in one query. */
  readonly together: readonly StoredColumn[];
  /** Each text is in one row. */
  readonly unique: readonly StoredColumn[];
  /** One query each. */
  readonly alone: readonly StoredColumn[];
}

/** Columns of texts by how their most frequent ones are found. */
export const splitTexts = (
  texts: readonly { readonly column: StoredColumn; readonly stats: ColumnStats }[],
  rows: number,
): SplitTexts => {
  const [together, unique, alone]: StoredColumn[][] = [[], [], []];
  let bytes = 0;
  for (const { column, stats } of texts) {
    const [nulls, distinct, , , , , , , , longest] = stats;
    const own = Number(distinct) * Number(longest ?? 0);
    if (Number(distinct) <= fewTexts && bytes + own <= keptTextBytes) {
      bytes += own;
      together!.push(column);
    } else if (rows <= exactRows && Number(distinct) === rows - Number(nulls)) unique!.push(column);
    else alone!.push(column);
  }
  return { together: together!, unique: unique!, alone: alone! };
};

/**
 * The most frequent texts with counts, in one aggregate. It is exact as long as all different texts fit into what it
 * keeps: with twice as many places as texts none is ever pushed out.
 */
export const topTextsSql = (column: StoredColumn, most: number): string =>
  `arrayMap(x -> (${shownText('x.1')}, x.2), arraySlice(arraySort(x -> (-toInt64(x.2), x.1),
    topK(${2 * fewTexts}, 1, 'counts')(${storageName(column)})), 1, ${most}))`;

/** The same of a column in which no text occurs twice: the least ones. */
export const leastTextsSql = (column: StoredColumn, most: number): string =>
  `arrayMap(x -> (${shownText('x')}, 1), groupArraySorted(${most})(${storageName(column)}))`;

const dayText = (days: number): string => new Date(Math.round(days) * 86_400_000).toISOString().slice(0, 10);

/** The number itself where a double is it, else its digits. */
const shownNumber = (text: string | null): number | string | null => {
  if (text === null) return null;
  const digits = (value: string): string =>
    value
      .replace(/e.*$/i, '')
      .replace(/[-+.]/g, '')
      .replace(/^0+|0+$/g, '');
  return digits(String(Number(text))) === digits(text) ? Number(text) : text;
};

const shown = (column: StoredColumn, text: string | null): number | string | null =>
  column.dataType === 'Decimal' ? shownNumber(text) : text;

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
