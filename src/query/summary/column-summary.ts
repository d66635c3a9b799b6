/**
 * SQL of what a column holds, over all rows. A first pass counts and finds the bounds, a second one fills the
 * histogram between them; the most frequent texts are a question of their own.
 */
import { type StoredColumn, storageName } from '../../model/column.js';
import { columnTypeOf } from '../../model/column-types/column-types.js';

/** Up to so many rows distinct values and quantiles are exact. */
const exactRows = 1_000_000;
/** Different values that are told exactly, however many rows there are. */
const exactDistinct = 100;

const levels = [0.05, 0.25, 0.5, 0.75, 0.95] as const;
const bins = 20;

export interface Bin {
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
const measureOf = (column: StoredColumn): string | undefined =>
  columnTypeOf(column.physical).measure?.(storageName(column));

/** nulls, distinct, distinct up to a bound, least, greatest, mean, quantiles, lowest and highest measure. */
export type Facts = readonly [
  nulls: number,
  distinct: number,
  few: number,
  min: string | null,
  max: string | null,
  mean: number | null,
  quantiles: readonly (number | null)[],
  low: number | null,
  high: number | null,
];

export const factsSql = (column: StoredColumn, rows: number): string => {
  const name = storageName(column);
  const isExact = rows <= exactRows;
  const measure = measureOf(column);
  const quantile = isExact ? 'quantilesExactInclusive' : 'quantilesTDigest';
  const own =
    measure === undefined
      ? 'NULL, [], NULL, NULL'
      : `if(isFinite(avg(${measure})), avg(${measure}), NULL), ${quantile}(${levels.join(', ')})(ifNull(${measure}, nan)), min(${measure}), max(${measure})`;
  const value = columnTypeOf(column.physical).key(name);
  return `(countIf(isNull(${name})), ${isExact ? 'uniqExact' : 'uniqCombined64'}(${value}), uniqUpTo(${exactDistinct})(${value}),
    ${shownText(`toString(min(${name}))`)}, ${shownText(`toString(max(${name}))`)}, ${own})`;
};

/** Counts of values below each inner edge. */
export const histogramSql = (column: StoredColumn, low: number, high: number): string => {
  const measure = measureOf(column);
  const width = (high - low) / bins;
  const edges = Array.from({ length: bins - 1 }, (_, index) => low + width * (index + 1));
  return `[${edges.map((edge) => `countIf(${measure} < ${edge})`).join(', ')}]`;
};

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

const histogramOf = (column: StoredColumn, facts: Facts, below: readonly number[], rows: number): Bin[] => {
  const [nulls, , , , , , , low, high] = facts;
  if (low === null || high === null) return [];
  const counts = [0, ...below.map(Number), rows - Number(nulls)];
  if (low === high || below.length === 0)
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
    count: (counts[index + 1] ?? 0) - (counts[index] ?? 0),
  }));
};

export const summaryOf = (
  column: StoredColumn,
  facts: Facts,
  rest: { readonly rows: number; readonly below: readonly number[]; readonly top: ColumnSummary['top'] },
): ColumnSummary => {
  const [nulls, distinct, few, min, max, mean, quantiles] = facts;
  const { rows, below, top } = rest;
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
          histogram: histogramOf(column, facts, below, rows),
        }
      : {}),
    ...(top === undefined ? {} : { top }),
  };
};
