import { QUOTE } from './bytes.js';
import { type ColumnLoop, growText } from './column-buffer.js';
import { isoDayLength, maxDate32Day, minDate32Day, noDay, writeIsoDay } from './date-text.js';
import { isMarker } from './marker.js';

// A field with doubled quotes has a negative length in the index, so it is never a date or a marker.

export const encodeDays: ColumnLoop = (column, bytes, index, from, to, at) => {
  const { starts, ends, fieldCount } = index;
  const { nulls, days } = column;
  const { isNullText, parseDay } = column.rules;
  let cell = from * fieldCount + column.field;
  let slot = at;
  let misfit = -1;
  for (let row = from; row < to; row++, cell += fieldCount, slot++) {
    const start = starts[cell]!;
    const end = ends[cell]!;
    nulls[slot] = 0;
    if (start !== end && !isNullText?.(bytes, start, end)) {
      const day = parseDay(bytes, start, end);
      if (day >= minDate32Day && day <= maxDate32Day) {
        days[slot] = day;
        continue;
      }
      if (!isMarker(bytes, start, end)) {
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
  const { isNullText, parseDay } = column.rules;
  let { text, textBytes } = column;
  let cell = from * fieldCount + column.field;
  let slot = at;
  let misfit = -1;
  for (let row = from; row < to; row++, cell += fieldCount, slot++) {
    const start = starts[cell]!;
    const end = ends[cell]!;
    if (textBytes + isoDayLength + 1 > text.length) text = growText(column, textBytes, isoDayLength + 1);
    const empty = start === end || isNullText?.(bytes, start, end);
    const day = empty ? noDay : parseDay(bytes, start, end);
    if (day === noDay) {
      if (!empty && !isMarker(bytes, start, end)) {
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
    const end = ends[cell]!;
    const length = (end < start ? ~end : end) - start;
    if (next + length + lengthBytes > text.length) text = growText(column, next, length + lengthBytes);
    if (start === end || isNullText?.(bytes, start, end)) {
      nulls[slot] = 1;
      text[next++] = 0;
      continue;
    }
    nulls[slot] = 0;
    if (onlyMarkers && !isMarker(bytes, start, end)) {
      misfit = row;
      break;
    }
    if (end < start) {
      next = putUndoubled(text, next, bytes, start, ~end);
      continue;
    }
    next = putLength(text, next, length);
    text.set(bytes.subarray(start, end), next);
    next += length;
  }
  column.textBytes = next;
  return misfit;
};
