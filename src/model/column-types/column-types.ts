import type { DataType, PhysicalType } from '../column.js';
import type { CodeLetter, ColumnType } from './column-type.js';
import { date } from './date.js';
import { decimal } from './decimal.js';
import { double } from './double.js';
import { farDate } from './far-date.js';
import { text } from './text.js';

/** By the first letter of their codes: a code without a record does not compile, nor a record that lacks something. */
export const columnTypes: { readonly [L in CodeLetter]: ColumnType<L> } = {
  d: date,
  t: farDate,
  f: double,
  n: decimal,
  s: text,
};

/** @throws RangeError for a code that is none. */
export const columnTypeOf = (physical: PhysicalType): ColumnType => {
  const type: ColumnType | undefined = columnTypes[physical.charAt(0) as CodeLetter];
  if (type === undefined) throw new RangeError(`unknown physical type ${physical}`);
  return type;
};

/** The public name of a physical type. */
export const dataTypeOf = (physical: PhysicalType): DataType => columnTypeOf(physical).dataType;

/** The physical type of a public name, while nothing is known of the values. */
export const physicalOfName: Readonly<Record<DataType, PhysicalType>> = {
  Date: 'd',
  Decimal: 'f',
  String: 's',
};
