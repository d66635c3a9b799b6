import type { DataType, PhysicalType } from '../column.js';
import type { CodeLetter, ColumnType, DateStorage, NumberForm } from './column-type.js';
import { date, firstDate32, lastDate32 } from './date.js';
import { decimal } from './decimal.js';
import { double } from './double.js';
import { farDate } from './far-date.js';
import { text } from './text.js';

/** By the first letter of their codes. A code without a record, or an incomplete record, does not compile. */
export const columnTypes: { readonly [L in CodeLetter]: ColumnType<L> } = {
  d: date,
  t: farDate,
  f: double,
  n: decimal,
  s: text,
};

/** True if the text is exactly a type code; for texts from outside. */
export const isPhysicalType = (text: string): text is PhysicalType => {
  if (/^[dtfs]$/.test(text)) return true;
  const [, precision, scale] = /^n(38|76)_(0|[1-9]\d?)$/.exec(text) ?? [];
  return precision !== undefined && Number(scale) <= Number(precision);
};

/** @throws RangeError for an unknown code. */
export const columnTypeOf = (physical: PhysicalType): ColumnType => {
  const type: ColumnType | undefined = columnTypes[physical.charAt(0) as CodeLetter];
  if (type === undefined) throw new RangeError(`unknown physical type ${physical}`);
  return type;
};

/** The public name of a physical type. */
export const dataTypeOf = (physical: PhysicalType): DataType => columnTypeOf(physical).dataType;

/** Storage of a column of dates. @throws RangeError for other types. */
export const dateStorageOf = (physical: PhysicalType): DateStorage => {
  const { dates } = columnTypeOf(physical);
  if (dates === undefined) throw new RangeError(`${physical} is no type of dates`);
  return dates;
};

/** Storage of a column of numbers. @throws RangeError for other types. */
export const numberFormOf = (physical: PhysicalType): NumberForm => {
  const { numbers } = columnTypeOf(physical);
  if (numbers === undefined) throw new RangeError(`${physical} is no type of numbers`);
  return numbers;
};

/** The type for dates. @param far True if some are outside of `firstDate32` to `lastDate32`. */
export const physicalOfDates = (far: boolean): PhysicalType => (far ? farDate : date).letter;

/** The type of one date. */
export const physicalOfDay = (day: string): PhysicalType =>
  physicalOfDates(day < firstDate32 || day > lastDate32);

/** The default physical type of a public type, while the values are unknown. */
export const physicalOfName: Readonly<Record<DataType, PhysicalType>> = {
  Date: 'd',
  Decimal: 'f',
  String: 's',
};
