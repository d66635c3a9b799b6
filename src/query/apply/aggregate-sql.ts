/**
 * SQL of aggregates. Nulls are skipped, as OData requires; without other values the result is null, and a count is 0.
 *
 * Sums are exact: doubles are summed as whole units of their last digit, see exact-double.ts.
 */
import type { PhysicalType } from '../../model/column.js';
import type { NumberForm } from '../../model/column-types/column-type.js';
import { numberFormOf } from '../../model/column-types/column-types.js';
import { decimalShapeOf } from '../../model/column-types/decimal.js';
import { sumOverflow } from '../../storage/clickhouse/errors.js';
import type { Emitter } from '../filter/emitter.js';
import { deviationOfDoubles, meanOfDoubles, quantileOfDoubles, sumOfDoubles } from './double-aggregates.js';
import {
  decimalOfDouble,
  decimalOfUnits,
  doubleOfDecimal,
  doubleUnitsSql,
  hasFastUnits,
  unitsSql,
} from './exact-double.js';
import { digitsOf, type NumberRange } from './number-range.js';
import type { Aggregate, Field, Value } from './typed.js';
import { doubleSql, keySql, nullable, valueSql } from './value-sql.js';

type MethodAggregate = Extract<Aggregate, { kind: 'method' }>;

interface SumSql {
  /** The sum in its result type. */
  readonly exact: string;
  /** The sum as a double that must be divided by `unit`, a power of ten. */
  readonly double: string;
  readonly unit: string;
}

const int64Bound = 2n ** 63n;
const int128Bound = 2n ** 127n;
/** Keeps sums of up to 2^40 rows below 2^127, and the sum of squares times the number of rows below 2^255. */
const squaresBound = 2n ** 210n;
/** Sums of whole doubles below this are exact in any order. */
const doubleBound = 2n ** 53n;
const decimalDigits = 76;

/** Sums a double column in whole units. */
const sumOfUnits = (column: string, range: NumberRange, sum: NumberRange, physical: PhysicalType): SumSql => {
  const units = unitsSql(column, range);
  if (sum.units < doubleBound && decimalShapeOf(physical) === undefined) {
    const total = `sum(${doubleUnitsSql(column, range)})`;
    const unit = `1e${range.scale}`;
    return { exact: range.scale === 0 ? total : `(${total} / ${unit})`, double: total, unit };
  }
  const total = sum.units < int64Bound ? `sum(${units})` : `sum(toInt128(${units}))`;
  return {
    exact: decimalOfUnits(total, range.scale),
    double: `toFloat64(${total})`,
    unit: `1e${range.scale}`,
  };
};

/** Adds a check for overflow to a sum that may have more than 76 digits: ClickHouse wraps around without an error. */
const withOverflowCheck = (decimal: string, total: string, { units, scale }: NumberRange): string => {
  if (digitsOf(units) <= decimalDigits) return total;
  const limit = `9.99e${decimalDigits - 1 - scale}`;
  const isOver = `ifNull(abs(sum(toFloat64(${decimal}))) >= ${limit}, 0)`;
  return `(${total} + toDecimal256(throwIf(${isOver}, '${sumOverflow}'), ${scale}))`;
};

/** @param scale decimals of the result */
const sumOfDecimals = (
  decimal: string,
  sum: NumberRange,
  physical: PhysicalType,
  scale = sum.scale,
): SumSql => {
  const wide = digitsOf(sum.units) > 38 ? `toDecimal256(${decimal}, ${sum.scale})` : decimal;
  const total = withOverflowCheck(decimal, `sum(${wide})`, sum);
  const shape = decimalShapeOf(physical);
  const exact =
    shape === undefined
      ? doubleOfDecimal(total, sum.scale, scale)
      : `toDecimal${shape.precision === 38 ? 128 : 256}(${total}, ${sum.scale})`;
  return { exact, double: `toFloat64(${total})`, unit: '1' };
};

const sumSql = ({ value, sum }: MethodAggregate, physical: PhysicalType, emit: Emitter): SumSql => {
  if (value.type !== 'number' || sum === undefined) {
    const total = sumOfDoubles(doubleSql(value, emit));
    return { exact: total, double: total, unit: '1' };
  }
  if (value.node.kind !== 'column') {
    const decimal = nullable(emit.exact(value.node));
    return sumOfDecimals(decimal, atScale(sum, value, emit), physical, sum.scale);
  }
  const { sql, physical: stored, range } = value.node.column as Field;
  return columnSums[numberFormOf(stored)](sql, { range, sum, physical });
};

interface ColumnSum {
  readonly range: NumberRange | undefined;
  readonly sum: NumberRange;
  readonly physical: PhysicalType;
}

const columnSums: Readonly<Record<NumberForm, (sql: string, of: ColumnSum) => SumSql>> = {
  doubles: (sql, { range, sum, physical }) => {
    if (range === undefined) throw new RangeError('a sum with bounds is one of a column with a range');
    return hasFastUnits(range)
      ? sumOfUnits(sql, range, sum, physical)
      : sumOfDecimals(decimalOfDouble(sql, range), sum, physical);
  },
  decimals: (sql, { sum, physical }) => sumOfDecimals(sql, sum, physical),
};

/** SQL of a column's numbers as whole units of their last digit; undefined if that is slow to calculate. */
const columnUnits: Readonly<
  Record<NumberForm, (sql: string, physical: PhysicalType, range: NumberRange) => string | undefined>
> = {
  doubles: (sql, _, range) => (hasFastUnits(range) ? unitsSql(sql, range) : undefined),
  decimals: (sql, physical) =>
    `reinterpretAsInt${decimalShapeOf(physical)?.precision === 38 ? 128 : 256}(${sql})`,
};

/**
 * Standard deviation of a column, from exact sums of whole units: its digits do not depend on the order in which rows are read.
 * Undefined for other numbers, and if the squares need more than 256 bits.
 */
const deviationOfUnits = ({ value, sum }: MethodAggregate): string | undefined => {
  if (value.type !== 'number' || value.node.kind !== 'column' || sum === undefined) return undefined;
  const { sql, physical, range } = value.node.column as Field;
  const units = range && columnUnits[numberFormOf(physical)](sql, physical, range);
  if (range === undefined || units === undefined) return undefined;
  const maxSquares = range.units * sum.units;
  if (maxSquares >= squaresBound) return undefined;
  const n = `count(${sql})`;
  const total = `toInt256(sum(toInt128(${units})))`;
  const squares = `toInt256(sum(${maxSquares < int128Bound ? 'toInt128' : 'toInt256'}(${units}) * ${units}))`;
  const spread = `toFloat64(${n} * ${squares} - ${total} * ${total})`;
  return `if(${n} < 2, NULL, sqrt(${spread} / (toFloat64(${n}) * (${n} - 1))) / 1e${range.scale})`;
};

/** The sum at the scale of its SQL: whole numbers may be calculated with decimals that are all 0. */
const atScale = (sum: NumberRange, value: Value, emit: Emitter): NumberRange => {
  const scale = value.type === 'number' ? (emit.shapes(value.node).exact?.scale ?? sum.scale) : sum.scale;
  return { scale, units: sum.units * 10n ** BigInt(scale - sum.scale) };
};

/** @param order non-null expression that orders the rows, for `first` and `last` */
export const aggregateSql = (aggregate: Aggregate, order: string, emit: Emitter): string => {
  if (aggregate.kind === 'count') return nullable('toFloat64(count())');
  const { method, value, field, operand, level } = aggregate;
  const { physical } = field;
  switch (method) {
    case 'sum':
      return sumSql(aggregate, physical, emit).exact;
    case 'average': {
      if (value.type !== 'number' || aggregate.sum === undefined)
        return meanOfDoubles(doubleSql(value, emit));
      const { double, unit } = sumSql(aggregate, 'f', emit);
      // A single division, so the result is rounded once.
      return `(${double} / nullIf(${unit} * count(${valueSql(value, operand, emit)}), 0))`;
    }
    case 'min':
    case 'max':
      return `${method}(${valueSql(value, physical, emit)})`;
    case 'first':
      return `argMin(${valueSql(value, physical, emit)}, ${order})`;
    case 'last':
      return `argMax(${valueSql(value, physical, emit)}, ${order})`;
    case 'countdistinct':
      return nullable(`toFloat64(uniqExact(${keySql(valueSql(value, operand, emit), operand)}))`);
    case 'median':
      return quantileOfDoubles(doubleSql(value, emit), 0.5);
    case 'quantile':
      return quantileOfDoubles(doubleSql(value, emit), level);
    case 'stddev':
      return deviationOfUnits(aggregate) ?? deviationOfDoubles(doubleSql(value, emit));
    default:
      return method satisfies never;
  }
};
