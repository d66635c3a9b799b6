import { MINUS, QUOTE, ZERO } from './bytes.js';
import { type ColumnBuffer, type ColumnLoop, growText } from './column-buffer.js';
import { dayOf, isoDayLength, maxDate32Day, minDate32Day, noDay, writeIsoDay } from './date-text.js';
import { isMarker } from './marker.js';

/** Day of a field of the form `YYYY-MM-DD`, otherwise `noDay`. Unrolled, since nearly all dates have this form. */
const plainDay = (bytes: Uint8Array, p: number): number => {
  if (bytes[p + 4] !== MINUS || bytes[p + 7] !== MINUS) return noDay;
  const y1 = bytes[p]! - ZERO;
  const y2 = bytes[p + 1]! - ZERO;
  const y3 = bytes[p + 2]! - ZERO;
  const y4 = bytes[p + 3]! - ZERO;
  const m1 = bytes[p + 5]! - ZERO;
  const m2 = bytes[p + 6]! - ZERO;
  const d1 = bytes[p + 8]! - ZERO;
  const d2 = bytes[p + 9]! - ZERO;
  // A byte that is not a digit gives a negative number or one above 9.
  if ((y1 | y2 | y3 | y4 | m1 | m2 | d1 | d2) < 0) return noDay;
  if (y1 > 9 || y2 > 9 || y3 > 9 || y4 > 9 || m1 > 9 || m2 > 9 || d1 > 9 || d2 > 9) return noDay;
  return dayOf(y1 * 1000 + y2 * 100 + y3 * 10 + y4, m1 * 10 + m2, d1 * 10 + d2);
};

/** Day of a field that is not empty, or `noDay`. */
const dayOfField = (column: ColumnBuffer, bytes: Uint8Array, start: number, end: number): number => {
  if (end - start === isoDayLength && column.rules.plain) {
    const day = plainDay(bytes, start);
    if (day !== noDay) return day;
  }
  return end < start ? noDay : column.rules.parseDay(bytes, start, end);
};

export const encodeDays: ColumnLoop = (column, bytes, index, from, to, at) => {
  const { starts, ends, fieldCount } = index;
  const { nulls, days } = column;
  const { isNullText } = column.rules;
  let cell = from * fieldCount + column.field;
  let slot = at;
  let misfit = -1;
  for (let row = from; row < to; row++, cell += fieldCount, slot++) {
    const start = starts[cell]!;
    const end = ends[cell]!;
    nulls[slot] = 0;
    if (start !== end && !isNullText?.(bytes, start, end)) {
      const day = dayOfField(column, bytes, start, end);
      if (day >= minDate32Day && day <= maxDate32Day) {
        days[slot] = day;
        continue;
      }
      if (end < start || !isMarker(bytes, start, end)) {
        misfit = row;
        break;
      }
    }
    nulls[slot] = 1;
    days[slot] = 0;
  }
  return misfit;
};

/** Encodes dates that are stored as text: every form becomes `YYYY-MM-DD`. */
export const encodeDayTexts: ColumnLoop = (column, bytes, index, from, to, at) => {
  const { starts, ends, fieldCount } = index;
  const { nulls } = column;
  const { isNullText } = column.rules;
  let { text, textBytes } = column;
  let cell = from * fieldCount + column.field;
  let slot = at;
  let misfit = -1;
  for (let row = from; row < to; row++, cell += fieldCount, slot++) {
    const start = starts[cell]!;
    const end = ends[cell]!;
    if (textBytes + isoDayLength + 1 > text.length) text = growText(column, textBytes, isoDayLength + 1);
    const empty = start === end || isNullText?.(bytes, start, end);
    const day = empty ? noDay : dayOfField(column, bytes, start, end);
    if (day === noDay) {
      if (!empty && (end < start || !isMarker(bytes, start, end))) {
        misfit = row;
        break;
      }
      nulls[slot] = 1;
      text[textBytes++] = 0;
      continue;
    }
    nulls[slot] = 0;
    text[textBytes++] = isoDayLength;
    writeIsoDay(day, text, textBytes);
    textBytes += isoDayLength;
  }
  column.textBytes = textBytes;
  return misfit;
};

/** Most bytes of the length before a text (35 bits). */
const lengthBytes = 5;

/** Length of a field after its doubled quotes are unescaped. */
const undoubledLength = (bytes: Uint8Array, start: number, end: number): number => {
  let length = end - start;
  for (let p = start; p < end; p++) {
    if (bytes[p] === QUOTE) {
      p++;
      length--;
    }
  }
  return length;
};

const putLength = (text: Uint8Array, at: number, length: number): number => {
  let rest = length;
  let next = at;
  while (rest > 0x7f) {
    text[next++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  text[next++] = rest;
  return next;
};

/** Writes a field at `at` and unescapes its doubled quotes. @returns the position after it */
const putUndoubled = (
  text: Uint8Array,
  at: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): number => {
  let next = putLength(text, at, undoubledLength(bytes, start, end));
  for (let p = start; p < end; p++) {
    const byte = bytes[p]!;
    text[next++] = byte;
    if (byte === QUOTE) p++;
  }
  return next;
};

export const encodeTexts: ColumnLoop = (column, bytes, index, from, to, at) => {
  const { starts, ends, fieldCount } = index;
  const { nulls } = column;
  const { isNullText } = column.rules;
  const onlyMarkers = column.physical === 'u';
  let { text, textBytes: next } = column;
  let cell = from * fieldCount + column.field;
  let slot = at;
  let misfit = -1;
  for (let row = from; row < to; row++, cell += fieldCount, slot++) {
    const start = starts[cell]!;
    let end = ends[cell]!;
    const doubled = end < start;
    if (doubled) end = ~end;
    const length = end - start;
    if (next + length + lengthBytes > text.length) text = growText(column, next, length + lengthBytes);
    if (length === 0 || (isNullText !== undefined && !doubled && isNullText(bytes, start, end))) {
      nulls[slot] = 1;
      text[next++] = 0;
      continue;
    }
    nulls[slot] = 0;
    if (onlyMarkers && (doubled || !isMarker(bytes, start, end))) {
      misfit = row;
      break;
    }
    if (doubled) {
      next = putUndoubled(text, next, bytes, start, end);
      continue;
    }
    next = putLength(text, next, length);
    text.set(bytes.subarray(start, end), next);
    next += length;
  }
  column.textBytes = next;
  return misfit;
};
