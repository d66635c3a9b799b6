import { CR, LF, QUOTE } from './bytes.js';
import { isDelimiterCandidate } from './dialect.js';

/**
 * Finds where records end, without looking at what is in them: the states of `field-index.ts` reduced to
 * "inside quotes or not". Four bytes are tested at once for the ones that matter, so text costs little.
 */
export interface RecordScan {
  /** The delimiter, or -1 while any of the usual ones may be it (in the header). */
  delimiter: number;
  quote: number;
  /** Next byte to look at. */
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

const repeated = (byte: number): number => Math.imul(byte, 0x01010101);
const lfWord = repeated(LF);
const crWord = repeated(CR);

/**
 * First position from `from`, a multiple of four, whose word holds an LF, a CR or a quote; `length` rounded down
 * where none does. The usual trick: subtracting one from each byte sets its top bit where the byte was zero.
 */
const skipText = (words: Int32Array, from: number, length: number, quoteWord: number): number => {
  const last = length >> 2;
  let word = from >> 2;
  for (; word < last; word++) {
    const value = words[word]!;
    const a = value ^ lfWord;
    const b = value ^ crWord;
    const c = value ^ quoteWord;
    if (((((a - 0x01010101) & ~a) | ((b - 0x01010101) & ~b) | ((c - 0x01010101) & ~c)) & 0x80808080) !== 0) {
      break;
    }
  }
  return word << 2;
};

const opensField = (scan: RecordScan, bytes: Uint8Array, position: number): boolean => {
  if (position === scan.recordStart) return true;
  const before = bytes[position - 1]!;
  return scan.delimiter < 0 ? isDelimiterCandidate(before) : before === scan.delimiter;
};

/**
 * Position after the next record and its line end, or -1 where it is not complete. `words` is the same memory
 * as `bytes`. With `final` no bytes follow, and the last record may lack its line end.
 */
export const nextRecord = (
  scan: RecordScan,
  bytes: Uint8Array,
  words: Int32Array,
  length: number,
  final: boolean,
): number => {
  const { quote } = scan;
  const quoteWord = repeated(quote);
  const topByte = Math.max(quote, CR);
  let p = scan.position;
  let { quoted, line } = scan;
  while (p < length) {
    if ((p & 3) === 0) {
      p = skipText(words, p, length, quoteWord);
      if (p >= length) break;
    }
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
      // Where quotes are, the next one is near: byte by byte is faster than a word that is likely to be a hit.
      p++;
      while (p < length && bytes[p]! > topByte) p++;
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
