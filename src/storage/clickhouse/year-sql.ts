/** Years of a column of numbers, as SQL. */
import { firstYear, lastYear } from '../../model/years.js';

/** The year that a number stands for; null for one that is no year. */
export const yearSql = (number: string): string =>
  `if(${number} >= ${firstYear} AND ${number} <= ${lastYear} AND ${number} = floor(${number}), toInt32(assumeNotNull(${number})), NULL)`;

/** Days from 1970-01-01 to the first day of a year; null for null. */
export const firstDaySql = (year: string): string =>
  `toInt32((${year} - 1970) * 365 + intDiv(${year} - 1, 4) - intDiv(${year} - 1, 100) + intDiv(${year} - 1, 400) - 477)`;
