import { createRecordScan, nextRecord } from './record-scan.js';
import type { Dialect, SplitChunk } from './types.js';

/** A copy in memory that begins at a word, as the scan needs it, and the words of it. */
const alignedCopy = (bytes: Buffer): { copy: Buffer; words: Int32Array } => {
  const copy = Buffer.allocUnsafeSlow((bytes.length + 3) & ~3);
  bytes.copy(copy);
  return { copy, words: new Int32Array(copy.buffer) };
};

/**
 * Cuts a chunk between records into about `pieces` parts of like size, two at least; their rows and lines go on where
 * the part before ends. A chunk of one record comes back as it is.
 */
export const cutChunk = (chunk: SplitChunk, dialect: Dialect, pieces: number): SplitChunk[] => {
  const { copy, words } = alignedCopy(chunk.bytes);
  const { length } = chunk.bytes;
  const scan = createRecordScan(dialect.delimiter, dialect.quote);
  scan.recordLine = chunk.firstLine;
  scan.line = chunk.firstLine;
  const target = Math.floor(length / Math.max(2, pieces));
  const parts: SplitChunk[] = [];
  let part = { start: 0, end: 0, rows: 0, line: chunk.firstLine };
  let row = chunk.firstRow;
  const close = (last: boolean): void => {
    const { start, end, rows, line } = part;
    parts.push({ bytes: copy.subarray(start, end), firstRow: row, rows, firstLine: line, last });
    row += rows;
  };
  for (let end = nextRecord(scan, copy, words, length, true); end >= 0; ) {
    if (part.rows > 0 && end - part.start > target) {
      close(false);
      part = { start: scan.foundStart, end, rows: 0, line: scan.foundLine };
    }
    part.rows += 1;
    part.end = end;
    end = nextRecord(scan, copy, words, length, true);
  }
  close(chunk.last);
  return parts;
};
