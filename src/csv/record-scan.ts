import { CR, LF, QUOTE } from './bytes.js';
import { isDelimiterCandidate } from './dialect.js';
import { addresses, kernel, kernelMemory } from './kernel.js';

/** Finds record ends by the rules in `field-index.ts`, tracking only whether a byte is inside quotes. */
export interface RecordScan {
  /** The delimiter; -1 in the header, where every candidate counts as one. */
  delimiter: number;
  quote: number;
  /** Next byte to scan. */
  position: number;
  /** First byte and line of the current record. */
  recordStart: number;
  recordLine: number;
  quoted: boolean;
  /** Line at `position`. */
  line: number;
  /** Line on which the open quoted field began, while `quoted` is true. */
  quoteLine: number;
  /** Last record found; `foundTextEnd` is the start of its line end. */
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

/** Adjusts the positions that are read again after the first `by` bytes were dropped. */
export const shiftScan = (scan: RecordScan, by: number): void => {
  scan.position -= by;
  scan.recordStart -= by;
  scan.foundStart -= by;
};

/** Scans the current record again from its start. */
export const scanAgain = (scan: RecordScan): void => {
  scan.position = scan.recordStart;
  scan.line = scan.recordLine;
  scan.quoted = false;
};

const opensField = (scan: RecordScan, bytes: Uint8Array, position: number): boolean => {
  if (position === scan.recordStart) return true;
  const before = bytes[position - 1]!;
  return scan.delimiter < 0 ? isDelimiterCandidate(before) : before === scan.delimiter;
};

/**
 * Finds the next record. @returns the position after its line end, or -1 if the record is not complete
 * @param final No bytes follow, so the last record may have no line end.
 */
export const nextRecord = (scan: RecordScan, bytes: Uint8Array, length: number, final: boolean): number => {
  const { quote } = scan;
  let p = scan.position;
  let { quoted, line } = scan;
  while (p < length) {
    const byte = bytes[p]!;
    if (byte === quote) {
      if (!quoted) {
        quoted = opensField(scan, bytes, p);
        scan.quoteLine = line;
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
    // Skips the blank line.
    scan.recordStart = p;
    scan.recordLine = line;
  }
  scan.position = p;
  scan.quoted = quoted;
  scan.line = line;
  if (!final || quoted || p === scan.recordStart) return -1;
  return found(scan, p, p, line);
};

/** Bytes that the kernel scans at a time; its memory has room for all records that they may contain. */
const scannedBytes = 64 << 10;

/**
 * Finds all complete records, except a last one whose end depends on the next byte (CR or CRLF, quote or doubled quote).
 * Sets `foundStart` and `foundLine` and calls `take` with the position after each; `take` may call `shiftScan`.
 */
export const eachRecord = (
  scan: RecordScan,
  memory: { readonly buffer: Uint8Array; readonly filled: number },
  take: (end: number) => void,
): void => {
  for (;;) {
    // Includes the byte before, which decides whether a quote opens a field.
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
    // `take` shifts all positions by the same amount when it starts a chunk.
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
