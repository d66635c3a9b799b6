import { COLON, MINUS, POINT, SLASH, SPACE, ZERO } from './bytes.js';

/**
 * Dates as text. Each form is parsed to the number of its first day (days since 1970-01-01):
 * - `2020-01-31`, `2020/01/31`, `2020.01.31`
 * - `2020-01`, `2020M01`, `2020Q1`, `2020-Q1`, `2020W05`, `2020-W05` (ISO week: its Monday)
 * - `2020-01-31T00:00:00`, also with a blank, without seconds, with a fraction of zeros, with `Z` or `+00:00`
 * Years are 0001 to 9999. Month and day have two digits; `20200131` is a number, and so is a bare year.
 */

/** Result for text that is not a date of the years 1 to 9999. */
export const noDay = 0x7fffffff;

/** Range of Date32: 1900-01-01 to 2299-12-31. */
export const minDate32Day = -25_567;
export const maxDate32Day = 120_529;

/** Days before each month, January first, in a year that begins with March. */
const monthOffsets = Int32Array.of(0, 306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275);
const monthLengths = Int32Array.of(0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31);

const isLeap = (year: number): boolean => (year & 3) === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Day number of a calendar date, or `noDay` if it does not exist. */
export const dayOf = (year: number, month: number, day: number): number => {
  if (year < 1 || month < 1 || month > 12 || day < 1) return noDay;
  if (day > monthLengths[month]! && !(month === 2 && day === 29 && isLeap(year))) return noDay;
  const y = month <= 2 ? year - 1 : year;
  return y * 365 + (y >> 2) - ((y / 100) | 0) + ((y / 400) | 0) + monthOffsets[month]! + day - 1 - 719_468;
};

/** Monday of an ISO week, or `noDay`. */
const dayOfWeek = (year: number, week: number): number => {
  if (year < 1 || week < 1 || week > 53) return noDay;
  const januaryFourth = dayOf(year, 1, 4);
  // Day 0 was a Thursday: day + 3 is a multiple of seven on Mondays.
  const monday = januaryFourth - ((((januaryFourth + 3) % 7) + 7) % 7) + (week - 1) * 7;
  // A week belongs to the year of its Thursday.
  return week === 53 && monday + 3 > dayOf(year, 12, 31) ? noDay : monday;
};

/** Two digits at `p`, or a large negative number. */
const pair = (bytes: Uint8Array, p: number): number => {
  const tens = bytes[p]! - ZERO;
  const ones = bytes[p + 1]! - ZERO;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1_000_000 : tens * 10 + ones;
};

const yearAt = (bytes: Uint8Array, p: number): number => pair(bytes, p) * 100 + pair(bytes, p + 2);

const parseCalendarDate = (bytes: Uint8Array, p: number, separator: number): number =>
  bytes[p + 4] === separator && bytes[p + 7] === separator
    ? dayOf(yearAt(bytes, p), pair(bytes, p + 5), pair(bytes, p + 8))
    : noDay;

const M = 0x4d;
const Q = 0x51;
const T = 0x54;
const W = 0x57;
const Z = 0x5a;
const PLUS = 0x2b;

const quarter = (year: number, digit: number): number => dayOf(year, digit * 3 - 2, 1);

const parsePeriod = (bytes: Uint8Array, start: number, length: number): number => {
  const year = yearAt(bytes, start);
  const sign = bytes[start + 4]!;
  if (length === 6) return sign === Q ? quarter(year, bytes[start + 5]! - ZERO) : noDay;
  if (length === 7) {
    if (sign === MINUS) {
      if (bytes[start + 5] === Q) return quarter(year, bytes[start + 6]! - ZERO);
      return dayOf(year, pair(bytes, start + 5), 1);
    }
    if (sign === M) return dayOf(year, pair(bytes, start + 5), 1);
    return sign === W ? dayOfWeek(year, pair(bytes, start + 5)) : noDay;
  }
  return sign === MINUS && bytes[start + 5] === W ? dayOfWeek(year, pair(bytes, start + 6)) : noDay;
};

/** True for `00:00`, `00:00:00` or `00:00:00.000`, optionally followed by `Z` or `+00:00`. */
const isMidnight = (bytes: Uint8Array, start: number, end: number): boolean => {
  let stop = end;
  if (bytes[stop - 1] === Z) stop -= 1;
  else if (bytes[stop - 6] === PLUS && pair(bytes, stop - 5) === 0 && bytes[stop - 3] === COLON) {
    if (pair(bytes, stop - 2) !== 0) return false;
    stop -= 6;
  }
  const length = stop - start;
  if (length !== 5 && length !== 8 && length < 10) return false;
  if (pair(bytes, start) !== 0 || bytes[start + 2] !== COLON || pair(bytes, start + 3) !== 0) return false;
  if (length === 5) return true;
  if (bytes[start + 5] !== COLON || pair(bytes, start + 6) !== 0) return false;
  if (length === 8) return true;
  if (bytes[start + 8] !== POINT) return false;
  for (let p = start + 9; p < stop; p++) if (bytes[p] !== ZERO) return false;
  return true;
};

/** Longest text that is read as a date, which limits the zeros of a fraction. */
const maxDateLength = 64;

/** Day number of a date in any of the built-in forms, or `noDay`. */
export const parseDay = (bytes: Uint8Array, start: number, end: number): number => {
  const length = end - start;
  if (length < 6 || length > maxDateLength) return noDay;
  if (length < 9) return parsePeriod(bytes, start, length);
  if (length === 10) {
    const separator = bytes[start + 4]!;
    return separator === MINUS || separator === SLASH || separator === POINT
      ? parseCalendarDate(bytes, start, separator)
      : noDay;
  }
  if (length < 16) return noDay;
  const joint = bytes[start + 10];
  if ((joint !== T && joint !== SPACE) || !isMidnight(bytes, start + 11, end)) return noDay;
  return parseCalendarDate(bytes, start, MINUS);
};

const putPair = (out: Uint8Array, at: number, value: number): void => {
  out[at] = ZERO + ((value / 10) | 0);
  out[at + 1] = ZERO + (value % 10);
};

/** Length of `YYYY-MM-DD`. */
export const isoDayLength = 10;

/** Writes a day of years 1 to 9999 as `YYYY-MM-DD`. */
export const writeIsoDay = (day: number, out: Uint8Array, at: number): void => {
  // Years are counted from March so that the leap day is the last one.
  const z = day + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  putPair(out, at, (year / 100) | 0);
  putPair(out, at + 2, year % 100);
  out[at + 4] = MINUS;
  putPair(out, at + 5, month);
  out[at + 7] = MINUS;
  putPair(out, at + 8, dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1);
};
