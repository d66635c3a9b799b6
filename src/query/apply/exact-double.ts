/**
 * Stored doubles as the decimals that they represent.
 *
 * A double with a range of up to 15 digits is the one nearest to units × 10^-scale. Multiplying by 10^scale gives the
 * units with an error below a quarter, so rounding gives them exactly, at the speed of a plain sum. Other doubles are
 * parsed from their text, which is five times slower.
 */
import type { NumberForm } from '../../model/column-types/column-type.js';
import { numberFormOf } from '../../model/column-types/column-types.js';
import type { FilterColumn } from '../filter/typed.js';
import { digitsOf, type NumberRange } from './number-range.js';
import type { Field } from './typed.js';

const fastDigits = 15;
const fastScale = 22;

/** True if the units can be calculated without text. */
export const hasFastUnits = ({ scale, units }: NumberRange): boolean =>
  digitsOf(units) <= fastDigits && scale <= fastScale;

/**
 * 1.5 × 2^52. Between 2^52 and 2^53 doubles are whole numbers, so adding and subtracting this rounds a number of up to
 * 15 digits, faster than `round`.
 */
const rounder = '6755399441055744.';

/** Units of 10^-scale, as a whole double. */
export const doubleUnitsSql = (sql: string, { scale }: NumberRange): string =>
  scale === 0 ? sql : `((${sql} * 1e${scale} + ${rounder}) - ${rounder})`;

/** Units of 10^-scale, as Int64. */
export const unitsSql = (sql: string, range: NumberRange): string => `toInt64(${doubleUnitsSql(sql, range)})`;

/**
 * The double that represents a decimal.
 * @param from decimals, of which only the first `to` may be non-zero. ClickHouse divides by 10^from, so with some 20
 *   digits in total even a whole number would be off by its last bit.
 */
export const doubleOfDecimal = (sql: string, from: number, to: number): string =>
  `toFloat64(${from === to ? sql : `toDecimal128(${sql}, ${to})`})`;

/** Units of 15 digits, or a sum of them, as a decimal. No dataset has enough rows for a sum of more than 38 digits. */
export const decimalOfUnits = (units: string, scale: number): string => {
  if (scale === 0) return `toDecimal128(${units}, 0)`;
  const unit = `0.${'0'.repeat(scale - 1)}1`;
  return `(toDecimal128(${units}, 0) * toDecimal128('${unit}', ${scale}))`;
};

/** The double as a decimal with all of its digits. */
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

/** A column for calculations: a double of known range becomes a decimal. */
export const exactColumn = (field: Field): FilterColumn => {
  const { physical, range } = field;
  return range === undefined ? field : exactForms[numberFormOf(physical)](field, range);
};
