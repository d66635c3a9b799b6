/** Years of a column of numbers, as SQL. */
import { firstYear, lastYear } from '../../model/years.js';

/** True for a number that is a year; null for null. */
export const isYearSql = (number: string): string =>
  `(${number} >= ${firstYear} AND ${number} <= ${lastYear} AND ${number} = floor(${number}))`;

/**
 * The year of a number; null if it is not a year. Both branches of `if` may be calculated for all rows, so a number of many digits must not
 * reach a conversion that would overflow.
 */
export const yearSql = (number: string): string =>
  `nullIf(toInt32(if(${isYearSql(number)}, toFloat64(${number}), 0)), 0)`;

/** Days from 1970-01-01 to the first day of a year; null for null. */
export const firstDaySql = (year: string): string =>
  `toInt32((${year} - 1970) * 365 + intDiv(${year} - 1, 4) - intDiv(${year} - 1, 100) + intDiv(${year} - 1, 400) - 477)`;
