import { MINUS, ZERO } from './bytes.js';
import { exactPowersOfTen, maxExactPower, shortestDouble } from './shortest-double.js';

/**
 * A parsed number: `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`, or `.5` without the zero, as statistics packages print it. Other text is
 * not a number: a leading plus or zero marks an identifier or a phone number, and `5.` an ordinal; a download could not restore blanks, `%`,
 * currency signs and thousands separators.
 *
 * The value is `digits × 10^exp10`. The digits are those from `first` to `last`, without the point; the first and the last are not zero. Zero
 * has no digits.
 */
interface NumberText {
  negative: boolean;
  first: number;
  last: number;
  digits: number;
  exp10: number;
}

export const createNumberText = (): NumberText => ({
  negative: false,
  first: 0,
  last: 0,
  digits: 0,
  exp10: 0,
});

/** A larger exponent fits no type: no field has as many zeros as would make up for it. */
const maxExponent = 2 ** 30;

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

export const integerDigitsOf = (number: NumberText): number => Math.max(0, number.digits + number.exp10);
export const fractionDigitsOf = (number: NumberText): number =>
  number.digits === 0 ? 0 : Math.max(0, -number.exp10);

/** Parses a number into `out`. @returns false if the bytes are not a number */
export const parseNumber = (
  bytes: Uint8Array,
  start: number,
  end: number,
  pointByte: number,
  out: NumberText,
): boolean => {
  let p = start;
  // A sign behind the end leaves no digits.
  out.negative = bytes[p] === MINUS;
  if (out.negative) p++;
  const integerStart = p;
  while (p < end && isDigit(bytes[p]!)) p++;
  const integerEnd = p;
  const integerLength = integerEnd - integerStart;
  if (integerLength > 1 && bytes[integerStart] === ZERO) return false;
  let point = -1;
  if (p < end && bytes[p] === pointByte) {
    point = p++;
    while (p < end && isDigit(bytes[p]!)) p++;
    if (p === point + 1) return false;
  } else if (integerLength === 0) {
    return false;
  }
  const mantissaEnd = p;
  let exponent = 0;
  if (p < end) {
    if (bytes[p] !== 0x65 && bytes[p] !== 0x45) return false;
    p++;
    const sign = bytes[p];
    if (sign === 0x2b || sign === MINUS) p++;
    if (p >= end) return false;
    for (; p < end; p++) {
      const digit = bytes[p]! - ZERO;
      if (digit < 0 || digit > 9) return false;
      exponent = exponent * 10 + digit;
    }
    exponent = Math.min(exponent, maxExponent);
    if (sign === MINUS) exponent = -exponent;
  }
  let first = integerStart;
  while (first < mantissaEnd && (bytes[first] === ZERO || first === point)) first++;
  if (first === mantissaEnd) {
    out.digits = 0;
    out.exp10 = 0;
    return true;
  }
  let last = mantissaEnd - 1;
  while (bytes[last] === ZERO || last === point) last--;
  out.first = first;
  out.last = last;
  out.digits = last - first + (point > first && point < last ? 0 : 1);
  out.exp10 = exponent + (point < 0 || last < point ? integerEnd - 1 - last : point - last);
  return true;
};

/** Digits as text, without the point. */
const digitsText = (bytes: Uint8Array, number: NumberText): string => {
  let text = '';
  for (let p = number.first; p <= number.last; p++) {
    const byte = bytes[p]!;
    if (isDigit(byte)) text += String.fromCharCode(byte);
  }
  return text;
};

/** Every number of up to 15 digits in the normal range converts to a double and back unchanged. */
export const safeDigits = 15;
/** Longest plain text with at most `safeDigits` digits: a sign, the digits and a point. Loops parse such text inline. */
export const shortLength = safeDigits + 2;
/** 17 digits distinguish any two doubles, so the shortest text of a double has no more. */
const maxShortestDigits = 17;

/** Up to 15 digits. Mantissa and power of ten are exact, so the single rounding of the operation is correct. */
const shortDouble = (bytes: Uint8Array, number: NumberText): number => {
  let mantissa = 0;
  for (let p = number.first; p <= number.last; p++) {
    const digit = bytes[p]! - ZERO;
    if (digit >= 0 && digit <= 9) mantissa = mantissa * 10 + digit;
  }
  const { exp10 } = number;
  return exp10 < 0 ? mantissa / exactPowersOfTen[-exp10]! : mantissa * exactPowersOfTen[exp10]!;
};

/** 16 or 17 digits. NaN: only comparing texts can decide. */
const longDouble = (bytes: Uint8Array, number: NumberText): number => {
  const lowDigits = 8;
  let toHigh = number.digits - lowDigits;
  let high = 0;
  let low = 0;
  for (let p = number.first; p <= number.last; p++) {
    const digit = bytes[p]! - ZERO;
    if (digit < 0 || digit > 9) continue;
    if (toHigh-- > 0) high = high * 10 + digit;
    else low = low * 10 + digit;
  }
  return shortestDouble(high * 1e8, low, number.exp10, low % 10);
};

/**
 * The double that represents the number digit for digit, or NaN if there is none. It exists for up to 15 significant digits in the normal
 * range, and for numbers that are the shortest text of the nearest double.
 */
export const doubleOf = (bytes: Uint8Array, number: NumberText): number => {
  const { digits, exp10, negative } = number;
  // Zero is stored without a sign: -0 and 0 have different bits and would be two keys, groups and hashes.
  if (digits === 0) return 0;
  if (digits > maxShortestDigits) return Number.NaN;
  if (exp10 >= -maxExactPower && exp10 <= maxExactPower) {
    const value = digits <= safeDigits ? shortDouble(bytes, number) : longDouble(bytes, number);
    if (!Number.isNaN(value)) return negative ? -value : value;
  }
  const text = digitsText(bytes, number);
  const value = Number(`${text}e${exp10}`);
  const leading = digits + exp10 - 1;
  // Numbers of few digits need no comparison, which takes three times as long: columns of very small numbers are common in science.
  if (digits <= safeDigits && leading >= -307 && leading <= 307) return negative ? -value : value;
  // Zero and Infinity have other digits.
  const [shortest = '', exponent] = value.toExponential().split('e');
  if (shortest.replace('.', '') !== text || Number(exponent) !== leading) return Number.NaN;
  return negative ? -value : value;
};

const TWO_32 = 4_294_967_296;
/** Six digits at a time: a 32-bit limb times a million stays within the 53 bits of a double. */
const groupFactor = 1e6;

/** Multiplies the first `used` limbs by a factor and adds a number. @returns the limbs then in use */
const multiplyAdd = (out: Uint32Array, at: number, used: number, factor: number, add: number): number => {
  let carry = add;
  for (let limb = at; limb < at + used; limb++) {
    const value = out[limb]! * factor + carry;
    carry = Math.floor(value / TWO_32);
    out[limb] = value - carry * TWO_32;
  }
  if (carry === 0) return used;
  out[at + used] = carry;
  return used + 1;
};

export const decimalFits = (number: NumberText, precision: number, scale: number): boolean =>
  fractionDigitsOf(number) <= scale && integerDigitsOf(number) <= precision - scale;

/**
 * Writes `number × 10^scale` as a little-endian two's complement integer of `limbs` 32-bit words. The number
 * must fit (`decimalFits`).
 */
export const writeDecimal = (
  bytes: Uint8Array,
  number: NumberText,
  scale: number,
  out: Uint32Array,
  at: number,
  limbs: number,
): void => {
  for (let limb = at; limb < at + limbs; limb++) out[limb] = 0;
  if (number.digits === 0) return;
  let used = 1;
  let group = 0;
  let factor = 1;
  const digitsEnd = number.last + 1;
  const zeros = scale + number.exp10;
  for (let p = number.first; p < digitsEnd + zeros; p++) {
    const digit = p < digitsEnd ? bytes[p]! - ZERO : 0;
    // Skips the point.
    if (digit < 0 || digit > 9) continue;
    group = group * 10 + digit;
    factor *= 10;
    if (factor === groupFactor) {
      used = multiplyAdd(out, at, used, factor, group);
      group = 0;
      factor = 1;
    }
  }
  multiplyAdd(out, at, used, factor, group);
  if (number.negative) negate(out, at, limbs);
};

/** Negates a two's complement integer in place. */
const negate = (words: Uint32Array, at: number, limbs: number): void => {
  let carry = 1;
  for (let limb = at; limb < at + limbs; limb++) {
    const value = (~words[limb]! >>> 0) + carry;
    words[limb] = value;
    carry = value === TWO_32 ? 1 : 0;
  }
};
