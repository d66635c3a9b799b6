import { invalid } from '../lib/errors.js';
import { type RecordScan, shiftScan } from './record-scan.js';
import { dropBytes, moveOn, type SplitMemory } from './split-memory.js';
import type { SplitChunk } from './types.js';

/** Groups records into chunks. Holds each chunk until a record follows, since only the end of the file shows which one is the last. */
interface ChunkAssembly {
  /** Adds the record that `scan` found. */
  add(recordEnd: number, out: SplitChunk[]): void;
  /** Makes room in a full, completely scanned buffer. */
  makeRoom(out: SplitChunk[]): void;
  /** Ends the last chunk. */
  finish(out: SplitChunk[]): void;
  setMaxRows(rows: number): void;
  /** Records added so far. */
  readonly rows: number;
}

interface ChunkLimits {
  readonly firstChunkBytes: number;
  readonly chunkBytes: number;
  readonly maxRecordBytes: number;
}

export const createChunkAssembly = (
  scan: RecordScan,
  memory: SplitMemory,
  { firstChunkBytes, chunkBytes, maxRecordBytes }: ChunkLimits,
): ChunkAssembly => {
  let limit = firstChunkBytes;
  let maxRows = Number.MAX_SAFE_INTEGER;
  /** Current chunk: first byte, end of the last record, number of records, first line. */
  let start = 0;
  let end = 0;
  let rows = 0;
  let line = 0;
  let rowsBefore = 0;
  /** Complete chunk that may turn out to be the last. */
  let held: SplitChunk | undefined;

  const tooLarge = (atLine: number): Error =>
    invalid('record_too_large', `Line ${atLine}: a record is larger than ${maxRecordBytes} bytes.`, {
      line: atLine,
      maxRecordBytes,
    });

  const currentChunk = (last: boolean): SplitChunk => ({
    bytes: memory.buffer.subarray(start, end),
    firstRow: rowsBefore,
    rows,
    firstLine: line,
    last,
  });

  const releaseHeld = (out: SplitChunk[]): void => {
    if (held !== undefined) out.push(held);
    held = undefined;
  };

  /** Ends the chunk; the bytes from `tail` on belong to the next one. */
  const cut = (tail: number, out: SplitChunk[]): void => {
    releaseHeld(out);
    held = currentChunk(false);
    limit = chunkBytes;
    moveOn(memory, tail, limit);
    shiftScan(scan, tail);
    rowsBefore += rows;
    rows = 0;
  };

  return {
    add(recordEnd, out) {
      const length = recordEnd - scan.foundStart;
      if (length > maxRecordBytes) throw tooLarge(scan.foundLine);
      if (rows >= maxRows || (rows > 0 && recordEnd - start > limit)) cut(scan.foundStart, out);
      if (rows === 0) {
        start = scan.foundStart;
        line = scan.foundLine;
      }
      releaseHeld(out);
      rows++;
      end = scan.foundStart + length;
    },

    makeRoom(out) {
      const first = rows > 0 ? start : scan.recordStart;
      if (memory.buffer.length < limit) moveOn(memory, 0, Math.min(memory.buffer.length * 2, limit));
      else if (first > 0) {
        dropBytes(memory, first);
        shiftScan(scan, first);
        start = 0;
        end -= first;
      } else if (rows > 0) {
        cut(scan.recordStart, out);
      } else {
        if (memory.filled > maxRecordBytes) throw tooLarge(scan.recordLine);
        moveOn(memory, 0, Math.min(memory.buffer.length * 2, maxRecordBytes + limit));
      }
    },

    finish(out) {
      if (rows > 0) {
        releaseHeld(out);
        out.push(currentChunk(true));
      } else if (held !== undefined) {
        out.push({ ...held, last: true });
      }
    },

    setMaxRows(most) {
      maxRows = most;
    },
    get rows() {
      return rowsBefore + rows;
    },
  };
};
