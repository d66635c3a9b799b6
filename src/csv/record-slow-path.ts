import { CR, LF, SPACE, TAB } from './bytes.js';
import { fieldEnd } from './field-end.js';
import { type FieldIndex, isFieldEnd, lineEndKind, quoteKind } from './field-index.js';
import type { BadRowReason } from './types.js';

/** Position after the line end at `p`. */
export const afterLineEnd = (bytes: Uint8Array, p: number): number =>
  bytes[p] === CR && bytes[p + 1] === LF ? p + 2 : p + 1;

/**
 * Indexes one record of any form. Writes it to slot `row` and returns true, or adds it to `malformed`. Sets `next`, `line` and
 * `recordEnds[row]` in both cases.
 */
export const indexRecord = (index: FieldIndex, recordStart: number, row: number): boolean => {
  const { text: bytes, starts, ends, classes, topByte, fieldCount } = index;
  const { quote } = index.dialect;
  const end = bytes.length;
  const firstLine = index.line;
  let line = firstLine;
  let p = recordStart;
  let fields = 0;
  let reason: BadRowReason | null = null;
  let badField = -1;
  let badStart = 0;
  let badEnd = 0;
  for (;;) {
    const fieldStart = p;
    let textStart = p;
    let textEnd = p;
    let doubled = false;
    let fault: BadRowReason | null = null;
    if (bytes[p] === quote) {
      textStart = ++p;
      fault = 'unterminated_quote';
      textEnd = end;
      for (;;) {
        p = fieldEnd(bytes, p, end, classes, topByte);
        if (p >= end) break;
        const byte = bytes[p]!;
        if (byte === quote) {
          if (bytes[p + 1] === quote) {
            doubled = true;
            p += 2;
            continue;
          }
          textEnd = p++;
          fault = null;
          break;
        }
        if (byte === LF || (byte === CR && bytes[p + 1] !== LF)) line++;
        p++;
      }
      if (p < end && !isFieldEnd(classes[bytes[p]!]!)) fault = 'text_after_quote';
    }
    // An unquoted field, or the invalid text after a closing quote.
    for (;;) {
      p = fieldEnd(bytes, p, end, classes, topByte);
      if (p >= end) break;
      const kind = classes[bytes[p]!]!;
      if (isFieldEnd(kind)) break;
      if (kind === quoteKind && fault === null && isBlank(bytes, fieldStart, p)) fault = 'blank_before_quote';
      p++;
    }
    if (textStart === fieldStart) textEnd = p;
    if (fault !== null && reason === null) {
      reason = fault;
      badField = fields;
      badStart = fieldStart;
      badEnd = p;
    }
    if (fields < fieldCount) {
      const cell = row * fieldCount + fields;
      starts[cell] = textStart;
      ends[cell] = doubled ? ~textEnd : textEnd;
    }
    fields++;
    if (p >= end || classes[bytes[p]!] === lineEndKind) break;
    p++;
  }
  const recordEnd = p;
  if (p < end) {
    p = afterLineEnd(bytes, p);
    line++;
  }
  index.next = index.textStart + p;
  index.line = line;
  index.recordEnds[row] = recordEnd;
  if (reason === null && fields === fieldCount) return true;
  index.malformed.push({
    reason: reason ?? 'field_count',
    ordinal: index.ordinal,
    line: firstLine,
    field: reason === null ? null : badField,
    fieldCount: fields,
    start: recordStart,
    end: recordEnd,
    valueStart: badStart,
    valueEnd: badEnd,
  });
  return false;
};

/** True if all bytes are blanks. */
const isBlank = (bytes: Uint8Array, start: number, end: number): boolean => {
  for (let p = start; p < end; p++) {
    if (bytes[p] !== SPACE && bytes[p] !== TAB) return false;
  }
  return true;
};
