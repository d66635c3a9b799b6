/** Type of a column that two columns are merged into: the same that an append with `onTypeConflict=widen` gives. */

import type { PhysicalType, StoredColumn } from '../../model/column.js';
import { columnTypeOf, physicalOfDates } from '../../model/column-types/column-types.js';
import { decimalOf } from '../../model/column-types/decimal.js';
import type { Digits } from '../../rows/index.js';

/** Counts the digits of the numbers in a column. */
type CountDigits = (column: StoredColumn) => Promise<Digits>;

const commonNumbers = async (
  a: StoredColumn,
  b: StoredColumn,
  count: CountDigits,
): Promise<PhysicalType | undefined> => {
  const [one, other] = [await count(a), await count(b)];
  return decimalOf(Math.max(one.integer, other.integer), Math.max(one.fraction, other.fraction));
};

/**
 * The physical type that holds the values of both columns unaltered. Undefined if that is only text and one of them is not text.
 * A column without values takes the type of the other one.
 */
export const commonType = async (
  a: StoredColumn,
  b: StoredColumn,
  count: CountDigits,
): Promise<PhysicalType | undefined> => {
  if (a.physical === b.physical) return a.physical;
  if (a.untyped === true) return b.physical;
  if (b.untyped === true) return a.physical;
  const [one, other] = [columnTypeOf(a.physical), columnTypeOf(b.physical)];
  if (one.compares !== other.compares) return undefined;
  if (one.compares === 'date') return physicalOfDates(one.dates === 'texts' || other.dates === 'texts');
  return commonNumbers(a, b, count);
};
