/**
 * Stored doubles as the decimals that they stand for.
 *
 * A double with a range of up to 15 digits is the nearest one to units × 10^-scale; multiplying gives those units
 * with an error below a quarter, so rounding gives them exactly, at the speed of a plain sum. Others are read from
 * their text, five times slower.
 */
import type { NumberForm } from '../../model/column-types/column-type.js';
import { numberFormOf } from '../../model/column-types/column-types.js';
import type { FilterColumn } from '../filter/typed.js';
import { digitsOf, type NumberRange } from './number-range.js';
import type { Field } from './typed.js';

const fastDigits = 15;
const fastScale = 22;

/** True where the units can be calculated. */
export const hasFastUnits = ({ scale, units }: NumberRange): boolean =>
  digitsOf(units) <= fastDigits && scale <= fastScale;

/**
 * 1.5 × 2^52. Between 2^52 and 2^53 doubles are the whole numbers, so that adding it to a number of up to 15 digits and
 * taking it away again rounds that number, without the function call that `round` is for each block of rows.
 */
const rounder = '6755399441055744.';

/** The double in units of 10^-scale, a whole double. */
export const doubleUnitsSql = (sql: string, { scale }: NumberRange): string =>
  scale === 0 ? sql : `((${sql} * 1e${scale} + ${rounder}) - ${rounder})`;

/** Int64: the same as an integer. */
export const unitsSql = (sql: string, range: NumberRange): string => `toInt64(${doubleUnitsSql(sql, range)})`;

/**
 * A decimal as the double that stands for it, where there is one.
 * @param from Digits behind the point that the decimal has, of which only `to` are not 0. ClickHouse divides by the power
 *   of ten of all of them, so that with some 20 digits in all even a whole number is off by its last bit.
 */
export const doubleOfDecimal = (sql: string, from: number, to: number): string =>
  `toFloat64(${from === to ? sql : `toDecimal128(${sql}, ${to})`})`;

/** Whole units of 15 digits, or a sum of them, as a decimal of that scale: no dataset has rows for more than 38 digits. */
export const decimalOfUnits = (units: string, scale: number): string => {
  if (scale === 0) return `toDecimal128(${units}, 0)`;
  const unit = `0.${'0'.repeat(scale - 1)}1`;
  return `(toDecimal128(${units}, 0) * toDecimal128('${unit}', ${scale}))`;
};

/** The double as a decimal that holds all of its digits. */
export const decimalOfDouble = (sql: string, range: NumberRange): string => {
  if (hasFastUnits(range)) return decimalOfUnits(unitsSql(sql, range), range.scale);
  return `toDecimal${isShort(range) ? 128 : 256}OrNull(toString(${sql}), ${range.scale})`;
};

const isShort = ({ scale, units }: NumberRange): boolean => Math.max(digitsOf(units), scale) <= 38;

const exactForms: Readonly<Record<NumberForm, (field: Field, range: NumberRange) => FilterColumn>> = {
  doubles: (field, range) => ({
    ...field,
    physical: `n${hasFastUnits(range) || isShort(range) ? 38 : 76}_${range.scale}`,
    sql: decimalOfDouble(field.sql, range),
    units: range.units,
  }),
  decimals: (field, range) => ({ ...field, units: range.units }),
};

/** A column for calculations: a double of known range as a decimal, every other one as it is. */
export const exactColumn = (field: Field): FilterColumn => {
  const { physical, range } = field;
  return range === undefined ? field : exactForms[numberFormOf(physical)](field, range);
};
