import { createRecordScan, nextRecord } from './record-scan.js';
import type { Dialect, SplitChunk } from './types.js';

/**
 * Splits a chunk between records into about `pieces` (at least two) parts of similar size, with continuous row and line numbers. Returns a
 * chunk of one record unchanged.
 */
export const cutChunk = (chunk: SplitChunk, dialect: Dialect, pieces: number): SplitChunk[] => {
  const { bytes } = chunk;
  const scan = createRecordScan(dialect.delimiter, dialect.quote);
  scan.recordLine = chunk.firstLine;
  scan.line = chunk.firstLine;
  const target = Math.floor(bytes.length / Math.max(2, pieces));
  const parts: SplitChunk[] = [];
  let part = { start: 0, end: 0, rows: 0, line: chunk.firstLine };
  let row = chunk.firstRow;
  const close = (last: boolean): void => {
    const { start, end, rows, line } = part;
    parts.push({ bytes: bytes.subarray(start, end), firstRow: row, rows, firstLine: line, last });
    row += rows;
  };
  for (let end = nextRecord(scan, bytes, bytes.length, true); end >= 0; ) {
    if (part.rows > 0 && end - part.start > target) {
      close(false);
      part = { start: scan.foundStart, end, rows: 0, line: scan.foundLine };
    }
    part.rows += 1;
    part.end = end;
    end = nextRecord(scan, bytes, bytes.length, true);
  }
  close(chunk.last);
  return parts;
};
