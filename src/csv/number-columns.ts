import { MINUS, ZERO } from './bytes.js';
import type { ColumnBuffer, ColumnLoop } from './column-buffer.js';
import { isMarker } from './marker.js';
import {
  createNumberText,
  decimalFits,
  doubleOf,
  parseNumber,
  safeDigits,
  shortLength,
  writeDecimal,
} from './number-text.js';
import { exactPowersOfTen } from './shortest-double.js';

/** Loops over one column of numbers. Doubles of up to 15 digits without an exponent are parsed inline, without `parseNumber`. */
const number = createNumberText();

/** Value of any field; NaN if it does not fit, Infinity if it is null. */
const slowDouble = (column: ColumnBuffer, bytes: Uint8Array, start: number, end: number): number => {
  if (end < start) return Number.NaN;
  const { rules } = column;
  if (parseNumber(bytes, start, end, rules.point, number)) {
    const value = doubleOf(bytes, number);
    if (!Number.isNaN(value)) return value;
  }
  return isMarker(bytes, start, end) ? Number.POSITIVE_INFINITY : Number.NaN;
};

/**
 * Value of a plain number of up to 15 digits; NaN for any other text. Zero has no sign. Mantissa and power of ten are exact, so the single
 * rounding of the division is correct.
 */
const plainDouble = (bytes: Uint8Array, start: number, end: number, point: number): number => {
  const negative = bytes[start] === MINUS;
  const first = negative ? start + 1 : start;
  let mantissa = 0;
  let p = first;
  for (; p < end; p++) {
    const digit = (bytes[p]! - ZERO) >>> 0;
    if (digit > 9) break;
    mantissa = mantissa * 10 + digit;
  }
  const integerLength = p - first;
  if (integerLength > 1 && bytes[first] === ZERO) return Number.NaN;
  if (p === end) {
    if (integerLength === 0 || integerLength > safeDigits) return Number.NaN;
    return negative ? 0 - mantissa : mantissa;
  }
  if (bytes[p] !== point) return Number.NaN;
  const fraction = ++p;
  for (; p < end; p++) {
    const digit = (bytes[p]! - ZERO) >>> 0;
    if (digit > 9) break;
    mantissa = mantissa * 10 + digit;
  }
  if (p < end || p === fraction || integerLength + p - fraction > safeDigits) return Number.NaN;
  const value = mantissa / exactPowersOfTen[p - fraction]!;
  return negative ? 0 - value : value;
};

export const encodeDoubles: ColumnLoop = (column, bytes, index, from, to, at) => {
  const { starts, ends, fieldCount } = index;
  const { nulls, doubles } = column;
  const { point, isNullText } = column.rules;
  let cell = from * fieldCount + column.field;
  let slot = at;
  for (let row = from; row < to; row++, cell += fieldCount, slot++) {
    const start = starts[cell]!;
    const end = ends[cell]!;
    if (start === end || isNullText?.(bytes, start, end)) {
      nulls[slot] = 1;
      doubles[slot] = 0;
      continue;
    }
    if (end - start <= shortLength) {
      const plain = plainDouble(bytes, start, end, point);
      if (!Number.isNaN(plain)) {
        nulls[slot] = 0;
        doubles[slot] = plain;
        continue;
      }
    }
    const value = slowDouble(column, bytes, start, end);
    if (Number.isNaN(value)) return row;
    const isNull = value === Number.POSITIVE_INFINITY;
    nulls[slot] = isNull ? 1 : 0;
    doubles[slot] = isNull ? 0 : value;
  }
  return -1;
};

export const encodeDecimals: ColumnLoop = (column, bytes, index, from, to, at) => {
  const { starts, ends, fieldCount } = index;
  const { nulls, words, limbs, precision, scale } = column;
  const { point, isNullText } = column.rules;
  let cell = from * fieldCount + column.field;
  let slot = at;
  for (let row = from; row < to; row++, cell += fieldCount, slot++) {
    const start = starts[cell]!;
    const end = ends[cell]!;
    const word = slot * limbs;
    nulls[slot] = 0;
    if (start !== end && !isNullText?.(bytes, start, end)) {
      if (parseNumber(bytes, start, end, point, number) && decimalFits(number, precision, scale)) {
        writeDecimal(bytes, number, scale, words, word, limbs);
        continue;
      }
      if (!isMarker(bytes, start, end)) return row;
    }
    nulls[slot] = 1;
    words.fill(0, word, word + limbs);
  }
  return -1;
};
