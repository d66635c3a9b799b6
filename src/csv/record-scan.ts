import { CR, LF, QUOTE } from './bytes.js';
import { isDelimiterCandidate } from './dialect.js';
import { addresses, kernel, kernelMemory } from './kernel.js';

/**
 * Finds where records end, without looking at what is in them: the states of `field-index.ts` reduced to
 * "inside quotes or not".
 */
export interface RecordScan {
  /** The delimiter, or -1 while any of the usual ones may be it (in the header). */
  delimiter: number;
  quote: number;
  /** Next byte to scan. */
  position: number;
  /** First byte of the record that is being read, and its line. */
  recordStart: number;
  recordLine: number;
  quoted: boolean;
  /** Line at `position`. */
  line: number;
  /** Line on which the last quoted field began. */
  quoteLine: number;
  /** The record found last: from `foundStart` to `foundTextEnd`, then its line end. */
  foundStart: number;
  foundLine: number;
  foundTextEnd: number;
}

export const createRecordScan = (delimiter: number, quote: number = QUOTE): RecordScan => ({
  delimiter,
  quote,
  position: 0,
  recordStart: 0,
  recordLine: 1,
  quoted: false,
  line: 1,
  quoteLine: 0,
  foundStart: 0,
  foundLine: 1,
  foundTextEnd: 0,
});

/** Moves all positions after the first `by` bytes were dropped. */
export const shiftScan = (scan: RecordScan, by: number): void => {
  scan.position -= by;
  scan.recordStart -= by;
  scan.foundStart -= by;
  scan.foundTextEnd -= by;
};

const opensField = (scan: RecordScan, bytes: Uint8Array, position: number): boolean => {
  if (position === scan.recordStart) return true;
  const before = bytes[position - 1]!;
  return scan.delimiter < 0 ? isDelimiterCandidate(before) : before === scan.delimiter;
};

/**
 * Position after the next record and its line end, or -1 where it is not complete. With `final` no bytes follow, and the
 * last record may lack its line end.
 */
export const nextRecord = (scan: RecordScan, bytes: Uint8Array, length: number, final: boolean): number => {
  const { quote } = scan;
  const topByte = Math.max(quote, CR);
  let p = scan.position;
  let { quoted, line } = scan;
  while (p < length) {
    const byte = bytes[p]!;
    if (byte > topByte) {
      p++;
      continue;
    }
    if (byte === quote) {
      if (!quoted) {
        quoted = opensField(scan, bytes, p);
        if (quoted) scan.quoteLine = line;
      } else if (p + 1 === length && !final) {
        break;
      } else if (bytes[p + 1] === quote && p + 1 < length) {
        p++;
      } else {
        quoted = false;
      }
      p++;
      continue;
    }
    if (byte !== LF && byte !== CR) {
      p++;
      continue;
    }
    if (byte === CR && p + 1 === length && !final) break;
    const textEnd = p++;
    if (byte === CR && p < length && bytes[p] === LF) p++;
    line++;
    if (quoted) continue;
    if (textEnd > scan.recordStart) return found(scan, textEnd, p, line);
    // A blank line is no record.
    scan.recordStart = p;
    scan.recordLine = line;
  }
  scan.position = p;
  scan.quoted = quoted;
  scan.line = line;
  if (!final || quoted || p === scan.recordStart) return -1;
  return found(scan, p, p, line);
};

/** Bytes that the kernel scans at a time; the records in them have room in its memory. */
const scannedBytes = 64 << 10;

/**
 * Finds all records that are complete, but for a last one of which the next byte decides. `take` is called with the position after
 * each, `foundStart` and `foundLine` set; it may move positions with `shiftScan`.
 */
export const eachRecord = (
  scan: RecordScan,
  memory: { readonly buffer: Uint8Array; readonly filled: number },
  take: (end: number) => void,
): void => {
  for (;;) {
    // With the byte before, which says whether a quote opens a field.
    const from = Math.max(0, scan.position - 1);
    const to = Math.min(memory.filled, from + scannedBytes);
    kernelMemory.text.set(memory.buffer.subarray(from, to));
    const records = kernel.scanRecords(
      addresses.text,
      scan.position - from,
      to - from,
      scan.recordStart - from,
      scan.recordLine,
      scan.line,
      scan.quoted ? 1 : 0,
      scan.quoteLine,
      scan.delimiter,
      scan.quote,
      addresses.values,
    );
    const moved = kernel.next() - (scan.position - from);
    scan.position = from + kernel.next();
    scan.recordStart = from + kernel.recordStart();
    scan.recordLine = kernel.recordLine();
    scan.line = kernel.line();
    scan.quoted = kernel.quoted() !== 0;
    scan.quoteLine = kernel.quoteLine();
    const { records: list } = kernelMemory;
    // `take` moves all positions alike when it begins a chunk.
    const { position } = scan;
    for (let at = 0; at < records * 3; at += 3) {
      const shifted = from + scan.position - position;
      scan.foundStart = shifted + list[at]!;
      scan.foundLine = list[at + 2]!;
      take(shifted + list[at + 1]!);
    }
    if (moved === 0 || scan.position === memory.filled) return;
  }
};

const found = (scan: RecordScan, textEnd: number, next: number, line: number): number => {
  scan.foundStart = scan.recordStart;
  scan.foundLine = scan.recordLine;
  scan.foundTextEnd = textEnd;
  scan.position = next;
  scan.recordStart = next;
  scan.recordLine = line;
  scan.line = line;
  scan.quoted = false;
  return next;
};
