/** Checks that the numbers of a column with a name for years are years. */
import { isYear } from '../model/years.js';
import type { ColumnLoop } from './column-buffer.js';
import type { CompiledRules } from './column-rules.js';
import type { FieldIndex } from './field-index.js';
import { encodeDoubles } from './kernel-columns.js';
import { createNumberText, doubleOf, parseNumber } from './number-text.js';

const number = createNumberText();

/** True if a field of the indexed records has a number that is not a year. */
export const hasOtherNumber = (
  bytes: Uint8Array,
  { starts, ends, fieldCount, rows }: FieldIndex,
  field: number,
  { point, isNullText }: CompiledRules,
): boolean => {
  for (let row = 0, cell = field; row < rows; row++, cell += fieldCount) {
    const start = starts[cell]!;
    const end = ends[cell]!;
    if (end <= start || isNullText?.(bytes, start, end)) continue;
    if (parseNumber(bytes, start, end, point, number) && !isYear(doubleOf(bytes, number))) return true;
  }
  return false;
};

/** Like `encodeDoubles`, for a column in which only years fit. */
export const encodeYears: ColumnLoop = (column, bytes, index, from, to, at) => {
  const misfit = encodeDoubles(column, bytes, index, from, to, at);
  const end = misfit < 0 ? to : misfit;
  const { nulls, doubles } = column;
  for (let row = from, slot = at; row < end; row++, slot++)
    if (nulls[slot] !== 1 && !isYear(doubles[slot]!)) return row;
  return misfit;
};
