import { invalid } from '../lib/errors.js';
import { runAtOnce, type Steps } from '../lib/time-slicing.js';
import { QUOTE } from './bytes.js';
import { createChunkAssembly } from './chunk-assembly.js';
import { announcedDelimiter } from './dialect.js';
import { headerSteps, isAmbiguous } from './header.js';
import { createRecordScan, eachRecord, nextRecord, scanAgain, shiftScan } from './record-scan.js';
import { createSplitMemory, dropBytes, fillMemory, recycleMemory } from './split-memory.js';
import type { HeaderRecord, RecordSplitter, RecordSplitterOptions, SplitChunk } from './types.js';
import { createUnicodeReader } from './unicode.js';

const defaultMaxRecordBytes = 16 << 20;

/** Most rows of a chunk under the limits of rows and cells; at least one. */
const rowLimit = (
  { maxRowsPerChunk = Infinity, maxCellsPerChunk = Infinity }: RecordSplitterOptions,
  { fieldCount }: HeaderRecord,
): number => Math.min(maxRowsPerChunk, Math.max(1, Math.floor(maxCellsPerChunk / fieldCount)));

/** Drops byte order marks after the first, which programs write that add one to a file that has it. */
const withoutMarks = (header: Uint8Array): Uint8Array => {
  let start = 0;
  while (header[start] === 0xef && header[start + 1] === 0xbb && header[start + 2] === 0xbf) start += 3;
  return header.subarray(start);
};

/**
 * Splits a stream of bytes into header and chunks of whole records. A chunk has as many records as fit, or one larger record. The chunks
 * depend only on the file, not on the pieces in which it arrives.
 *
 * Each chunk has its own memory. A byte is copied once, and again if it follows a cut.
 */
export const createRecordSplitter = (options: RecordSplitterOptions): RecordSplitter => {
  const { firstChunkBytes, chunkBytes, maxRecordBytes = defaultMaxRecordBytes } = options;
  const scan = createRecordScan(options.dialect?.delimiter ?? -1, options.dialect?.quote ?? QUOTE);
  const memory = createSplitMemory(firstChunkBytes, chunkBytes);
  const chunks = createChunkAssembly(scan, memory, { firstChunkBytes, chunkBytes, maxRecordBytes });
  const unicode = createUnicodeReader();
  let header: HeaderRecord | undefined;
  /** Delimiter from a line `sep=;` before the header. */
  let separator: number | undefined;
  /** A header whose delimiter the next record decides. */
  let undecided: { readonly bytes: Buffer; readonly line: number } | undefined;

  const isSeparatorLine = (record: Buffer): boolean => {
    if (separator !== undefined) return false;
    const delimiter = announcedDelimiter(record);
    if (delimiter === undefined || delimiter !== (options.dialect?.delimiter ?? delimiter)) return false;
    separator = delimiter;
    scan.delimiter = delimiter;
    return true;
  };

  function* readHeader(bytes: Buffer, line: number, next?: Uint8Array): Steps<void> {
    header = yield* headerSteps(bytes, line, options.dialect ?? { delimiter: separator }, next);
    scan.delimiter = header.dialect.delimiter;
    chunks.setMaxRows(rowLimit(options, header));
  }

  /** Reads the header with the record behind it, which is found again with the right delimiter. */
  function* decideHeader(next?: Uint8Array): Steps<void> {
    if (undecided === undefined) return;
    yield* readHeader(undecided.bytes, undecided.line, next);
    undecided = undefined;
    scanAgain(scan);
  }

  /** Takes one of the first records: the header, a line `sep=;` before it, or the record that decides its delimiter. */
  function* takeHeader(): Steps<void> {
    const { foundStart, foundLine: line } = scan;
    const record = memory.buffer.subarray(foundStart, scan.foundTextEnd);
    if (undecided !== undefined) {
      scan.recordStart = foundStart;
      scan.recordLine = line;
      yield* decideHeader(Buffer.from(record));
      return;
    }
    const bytes = Buffer.from(withoutMarks(record));
    if (!isSeparatorLine(bytes)) {
      if (scan.delimiter < 0 && isAmbiguous(bytes)) undecided = { bytes, line };
      yield;
      if (undecided === undefined) yield* readHeader(bytes, line);
    }
    const end = scan.position;
    dropBytes(memory, end);
    shiftScan(scan, end);
  }

  /** Adds complete records to the chunks. @returns false at the header, or the line `sep=;` before it, which must be read first */
  const advance = (final: boolean, out: SplitChunk[]): boolean => {
    if (header !== undefined && !final) {
      eachRecord(scan, memory, (end) => chunks.add(end, out));
      return true;
    }
    for (;;) {
      const end = nextRecord(scan, memory.buffer, memory.filled, final);
      if (end < 0) return true;
      if (header === undefined) return false;
      chunks.add(end, out);
    }
  };

  function* advanceInSteps(final: boolean, out: SplitChunk[]): Steps<void> {
    while (!advance(final, out)) yield* takeHeader();
  }

  function* take(bytes: Uint8Array, out: SplitChunk[]): Steps<void> {
    for (let at = 0; at < bytes.length; ) {
      const isFull = memory.filled === memory.buffer.length;
      if (isFull && undecided !== undefined) {
        // A record that fills the memory does not decide: with the right delimiter it may well be shorter.
        yield* decideHeader();
        yield* advanceInSteps(false, out);
        continue;
      }
      if (isFull) chunks.makeRoom(out);
      at += fillMemory(memory, bytes, at);
      yield* advanceInSteps(false, out);
    }
  }

  function* push(piece: Uint8Array): Steps<SplitChunk[]> {
    const out: SplitChunk[] = [];
    yield* take(unicode.read(piece), out);
    return out;
  }

  function* end(): Steps<SplitChunk[]> {
    const out: SplitChunk[] = [];
    yield* take(unicode.end(), out);
    yield* advanceInSteps(true, out);
    yield* decideHeader();
    yield* advanceInSteps(true, out);
    if (scan.quoted) {
      const line = scan.quoteLine;
      throw invalid('unterminated_quote', `Line ${line}: a quote is opened and never closed.`, {
        line,
      });
    }
    if (header === undefined) throw invalid('empty_file', 'The file is empty.');
    chunks.finish(out);
    return out;
  }

  return {
    push: (piece) => runAtOnce(push(piece)),
    end: () => runAtOnce(end()),
    inSteps: { push, end },

    get header() {
      return header;
    },
    get rows() {
      return chunks.rows;
    },
    recycle({ bytes }) {
      recycleMemory(memory, bytes.buffer);
    },
  };
};
