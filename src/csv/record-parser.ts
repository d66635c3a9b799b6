import { CR, LF } from './bytes.js';
import { fieldEnd } from './field-end.js';
import {
  delimiterKind,
  type FieldIndex,
  isFieldEnd,
  lineEndKind,
  quoteKind,
  textKind,
} from './field-index.js';
import { indexRecord } from './record-slow-path.js';

/**
 * Position of the quote that closes a field, or -1 where it takes more care: a line end or a quote inside, or
 * none of delimiter and line end after it.
 */
const closingQuote = (
  bytes: Uint8Array,
  from: number,
  end: number,
  classes: Uint8Array,
  top: number,
): number => {
  let p = fieldEnd(bytes, from, end, classes, top);
  while (p < end && classes[bytes[p]!] === delimiterKind) p = fieldEnd(bytes, p + 1, end, classes, top);
  if (p >= end || classes[bytes[p]!] !== quoteKind) return -1;
  return p + 1 === end || isFieldEnd(classes[bytes[p + 1]!]!) ? p : -1;
};

/**
 * Indexes the next block of records; `index.rows` is 0 when there are none left. With `stopAtMalformed` the
 * block ends at the first malformed record.
 */
export const indexRecords = (index: FieldIndex, bytes: Uint8Array, stopAtMalformed: boolean): void => {
  const { starts, ends, classes, topByte, quote, fieldCount, capacity } = index;
  const end = bytes.length;
  let p = index.next;
  let rows = 0;
  index.malformed.length = 0;
  while (rows < capacity && p < end) {
    const recordStart = p;
    const line = index.line;
    let cell = rows * fieldCount;
    let fields = 0;
    let kind: number = textKind;
    do {
      if (bytes[p] === quote) {
        const closing = closingQuote(bytes, p + 1, end, classes, topByte);
        if (closing < 0) {
          kind = quoteKind;
          break;
        }
        starts[cell] = p + 1;
        ends[cell++] = closing;
        p = closing + 1;
      } else {
        starts[cell] = p;
        p = fieldEnd(bytes, p, end, classes, topByte);
        ends[cell++] = p;
      }
      kind = p < end ? classes[bytes[p]!]! : lineEndKind;
      p++;
      fields++;
    } while (kind === delimiterKind && fields < fieldCount);
    let recordEnd = p - 1;
    if (kind === lineEndKind && (recordEnd === recordStart || fields === fieldCount)) {
      // A blank line, or a plain record with the right number of fields.
      index.line = line + 1;
      if (p < end && bytes[p] === LF && bytes[recordEnd] === CR) p++;
      if (recordEnd === recordStart) continue;
    } else {
      const good = indexRecord(index, bytes, recordStart, rows);
      p = index.next;
      recordEnd = index.recordEnds[rows]!;
      if (!good) {
        index.ordinal++;
        if (stopAtMalformed) break;
        continue;
      }
    }
    index.recordStarts[rows] = recordStart;
    index.recordEnds[rows] = recordEnd;
    index.lines[rows] = line;
    index.ordinals[rows] = index.ordinal++;
    rows++;
  }
  index.rows = rows;
  index.next = Math.min(p, end);
};
