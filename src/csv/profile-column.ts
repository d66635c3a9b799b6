import { MINUS, ZERO } from './bytes.js';
import type { CompiledRules } from './column-rules.js';
import { maxDate32Day, minDate32Day, noDay } from './date-text.js';
import type { FieldIndex } from './field-index.js';
import { isMarker } from './marker.js';
import {
  createNumberText,
  doubleOf,
  fractionDigitsOf,
  integerDigitsOf,
  parseNumber,
  safeDigits,
  shortLength,
} from './number-text.js';
import type { ColumnProfile } from './types.js';

export type MutableProfile = { -readonly [Key in keyof ColumnProfile]: ColumnProfile[Key] };

export const emptyProfile = (): MutableProfile => ({
  kind: 'none',
  marker: false,
  farDate: false,
  inexact: false,
  integerDigits: 0,
  fractionDigits: 0,
  offYears: false,
});

const number = createNumberText();

/**
 * Digits before and after the point of a plain number of up to 15 digits, without leading and trailing zeros, as `integer × 32 + fraction`; -1
 * for any other text.
 */
const shortNumber = (bytes: Uint8Array, start: number, end: number, point: number): number => {
  let p = start;
  if (bytes[p] === MINUS) p++;
  const first = p;
  while (p < end && (bytes[p]! - ZERO) >>> 0 <= 9) p++;
  const integerLength = p - first;
  if (integerLength === 0 || integerLength > safeDigits) return -1;
  const startsWithZero = bytes[first] === ZERO;
  if (startsWithZero && integerLength > 1) return -1;
  const integerDigits = startsWithZero ? 0 : integerLength;
  if (p === end) return integerDigits * 32;
  if (bytes[p] !== point) return -1;
  const fraction = ++p;
  while (p < end && (bytes[p]! - ZERO) >>> 0 <= 9) p++;
  if (p < end || p === fraction || integerLength + p - fraction > safeDigits) return -1;
  while (p > fraction && bytes[p - 1] === ZERO) p--;
  return integerDigits * 32 + p - fraction;
};

/** Adds a value that is not empty. @returns false if it makes the column text */
const addValue = (
  profile: MutableProfile,
  bytes: Uint8Array,
  start: number,
  end: number,
  rules: CompiledRules,
): boolean => {
  if (end < start) return false;
  const day = rules.parseDay(bytes, start, end);
  if (day !== noDay) {
    if (profile.kind === 'number') return false;
    profile.kind = 'date';
    if (day < minDate32Day || day > maxDate32Day) profile.farDate = true;
    return true;
  }
  if (parseNumber(bytes, start, end, rules.point, number)) {
    if (profile.kind === 'date') return false;
    profile.kind = 'number';
    if (!profile.inexact && Number.isNaN(doubleOf(bytes, number))) profile.inexact = true;
    profile.integerDigits = Math.max(profile.integerDigits, integerDigitsOf(number));
    profile.fractionDigits = Math.max(profile.fractionDigits, fractionDigitsOf(number));
    return true;
  }
  if (!isMarker(bytes, start, end)) return false;
  profile.marker = true;
  return true;
};

/** Adds the values of one field of the indexed records. */
export const profileColumn = (
  profile: MutableProfile,
  bytes: Uint8Array,
  index: FieldIndex,
  field: number,
  rules: CompiledRules,
): void => {
  const { starts, ends, fieldCount, rows } = index;
  const { plain, point, isNullText } = rules;
  let { integerDigits, fractionDigits } = profile;
  let cell = field;
  for (let row = 0; row < rows; row++, cell += fieldCount) {
    const start = starts[cell]!;
    const end = ends[cell]!;
    if (start === end || isNullText?.(bytes, start, end)) continue;
    if (plain && profile.kind !== 'date' && end - start <= shortLength) {
      const digits = shortNumber(bytes, start, end, point);
      if (digits >= 0) {
        profile.kind = 'number';
        if (digits >> 5 > integerDigits) integerDigits = digits >> 5;
        if ((digits & 31) > fractionDigits) fractionDigits = digits & 31;
        continue;
      }
    }
    if (!addValue(profile, bytes, start, end, rules)) {
      profile.kind = 'text';
      return;
    }
  }
  profile.integerDigits = Math.max(profile.integerDigits, integerDigits);
  profile.fractionDigits = Math.max(profile.fractionDigits, fractionDigits);
};
