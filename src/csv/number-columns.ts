import { MINUS, ZERO } from './bytes.js';
import type { ColumnBuffer, ColumnLoop } from './column-buffer.js';
import { isMarker } from './marker.js';
import {
  createNumberText,
  decimalFits,
  doubleOf,
  negate,
  parseNumber,
  safeDigits,
  shortLength,
  TWO_32,
  writeDecimal,
} from './number-text.js';
import { exactPowersOfTen } from './shortest-double.js';

/**
 * Loops over one column of numbers. Nearly all numbers have up to 15 digits and no exponent; these are parsed inline, without
 * `parseNumber`.
 */
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

/** Writes an integer below 2^53 as two's complement. */
const writeSafeInteger = (
  words: Uint32Array,
  at: number,
  limbs: number,
  value: number,
  negative: boolean,
): void => {
  words[at] = value;
  words[at + 1] = value / TWO_32;
  for (let word = at + 2; word < at + limbs; word++) words[word] = 0;
  if (negative) negate(words, at, limbs);
};

/** Scaled values below 10^15 are exact integers. */
const safeInteger = 1e15;

/** Returns 0 if written, 1 if null, -1 if it does not fit. */
const slowDecimal = (
  column: ColumnBuffer,
  bytes: Uint8Array,
  start: number,
  end: number,
  at: number,
): number => {
  if (end < start) return -1;
  const { rules, precision, scale } = column;
  if (parseNumber(bytes, start, end, rules.point, number)) {
    if (decimalFits(number, precision, scale)) {
      writeDecimal(bytes, number, scale, column.words, at, column.limbs);
      return 0;
    }
  }
  return isMarker(bytes, start, end) ? 1 : -1;
};

/** Absolute value of a plain number of up to 15 digits, times 10^scale; -1 for any other text. */
const shortScaled = (bytes: Uint8Array, first: number, end: number, point: number, scale: number): number => {
  let p = first;
  let mantissa = 0;
  while (p < end) {
    const digit = (bytes[p]! - ZERO) >>> 0;
    if (digit > 9) break;
    mantissa = mantissa * 10 + digit;
    p++;
  }
  const integerLength = p - first;
  if (integerLength === 0 || (integerLength > 1 && bytes[first] === ZERO)) return -1;
  let fractionLength = 0;
  if (p < end) {
    if (bytes[p] !== point) return -1;
    const fraction = ++p;
    while (p < end) {
      const digit = (bytes[p]! - ZERO) >>> 0;
      if (digit > 9) break;
      mantissa = mantissa * 10 + digit;
      p++;
    }
    fractionLength = p - fraction;
    if (fractionLength === 0 || p < end) return -1;
  }
  const shift = scale - fractionLength;
  if (integerLength + fractionLength > safeDigits || shift < 0 || shift > safeDigits) return -1;
  const scaled = mantissa * exactPowersOfTen[shift]!;
  return scaled < safeInteger ? scaled : -1;
};

export const encodeDecimals: ColumnLoop = (column, bytes, index, from, to, at) => {
  const { starts, ends, fieldCount } = index;
  const { nulls, words, limbs, scale } = column;
  const { point, isNullText } = column.rules;
  let cell = from * fieldCount + column.field;
  let slot = at;
  for (let row = from; row < to; row++, cell += fieldCount, slot++) {
    const start = starts[cell]!;
    const end = ends[cell]!;
    const word = slot * limbs;
    nulls[slot] = 0;
    if (start === end || isNullText?.(bytes, start, end)) {
      nulls[slot] = 1;
      words.fill(0, word, word + limbs);
      continue;
    }
    if (end - start <= shortLength) {
      const negative = bytes[start] === MINUS;
      const scaled = shortScaled(bytes, negative ? start + 1 : start, end, point, scale);
      if (scaled >= 0) {
        writeSafeInteger(words, word, limbs, scaled, negative);
        continue;
      }
    }
    const outcome = slowDecimal(column, bytes, start, end, word);
    if (outcome < 0) return row;
    if (outcome > 0) {
      nulls[slot] = 1;
      words.fill(0, word, word + limbs);
    }
  }
  return -1;
};
