import { invalid } from '../../lib/errors.js';
import { QUOTE } from './bytes.js';
import { announcedDelimiter } from './dialect.js';
import { countFields, sniffDelimiter } from './header.js';
import { createRecordScan, nextRecord, shiftScan } from './record-scan.js';
import type { HeaderRecord, RecordSplitter, RecordSplitterOptions, SplitChunk } from './types.js';
import { createUnicodeReader } from './unicode.js';

const defaultMaxRecordBytes = 16 << 20;
/** Bytes beyond a chunk's size: the one that tells CR from CRLF, and a whole word. */
const slackBytes = 8;
/** Bytes taken at a time, so that what lies behind a cut and has to be moved stays small. */
const stepBytes = 64 << 10;

const alignedBytes = (bytes: number): number => (bytes + 3) & ~3;

/**
 * Cuts a stream of bytes into its header and chunks of whole records. A chunk is as many records as fit into its
 * size, and one if that alone is larger: a function of the file only, never of the pieces it arrived in.
 *
 * Each chunk has memory of its own. A byte is copied once, and once more if it lies behind a cut. The last chunk
 * is known only at the end, so a chunk is handed out when a record after it is complete.
 */
export const createRecordSplitter = (options: RecordSplitterOptions): RecordSplitter => {
  const { firstChunkBytes, chunkBytes } = options;
  const maxRecordBytes = options.maxRecordBytes ?? defaultMaxRecordBytes;
  const scan = createRecordScan(options.dialect?.delimiter ?? -1, options.dialect?.quote ?? QUOTE);
  const unicode = createUnicodeReader();
  const spare: Buffer[] = [];

  let header: HeaderRecord | undefined;
  /** The delimiter of a line `sep=;` in front of the header. */
  let announced: number | undefined;
  let limit = firstChunkBytes;
  let maxRows = options.maxRowsPerChunk ?? Number.MAX_SAFE_INTEGER;
  let buffer: Buffer = Buffer.allocUnsafeSlow(alignedBytes(limit + slackBytes));
  let words = new Int32Array(buffer.buffer);
  let filled = 0;
  /** The chunk in the making: its first byte, records, line, and the end of its last record. */
  let chunkStart = 0;
  let chunkRows = 0;
  let chunkLine = 0;
  let chunkEnd = 0;
  let rows = 0;
  /** Complete, but perhaps the last. */
  let held: SplitChunk | undefined;

  const use = (memory: Buffer): void => {
    buffer = memory;
    words = new Int32Array(buffer.buffer, 0, buffer.length >> 2);
  };

  const allocate = (bytes: number): Buffer => {
    const fitting = spare.findIndex((memory) => memory.length >= bytes);
    return fitting < 0 ? Buffer.allocUnsafeSlow(alignedBytes(bytes)) : spare.splice(fitting, 1)[0]!;
  };

  /** Drops the bytes before `from`. */
  const compact = (from: number): void => {
    buffer.copyWithin(0, from, filled);
    filled -= from;
    shiftScan(scan, from);
  };

  /** Ends the chunk; what lies behind `tail` begins the next one. */
  const cut = (tail: number, out: SplitChunk[]): void => {
    release(out);
    held = finishedChunk(false);
    limit = chunkBytes;
    const memory = allocate(Math.max(limit + slackBytes, filled - tail));
    buffer.copy(memory, 0, tail, filled);
    use(memory);
    filled -= tail;
    shiftScan(scan, tail);
    chunkRows = 0;
    chunkStart = 0;
    chunkEnd = 0;
  };

  const finishedChunk = (last: boolean): SplitChunk => ({
    bytes: buffer.subarray(chunkStart, chunkEnd),
    firstRow: rows - chunkRows,
    rows: chunkRows,
    firstLine: chunkLine,
    last,
  });

  const release = (out: SplitChunk[]): void => {
    if (held !== undefined) out.push(held);
    held = undefined;
  };

  const tooLarge = (line: number): Error =>
    invalid('record_too_large', `Line ${line}: a record is larger than ${maxRecordBytes} bytes.`, {
      line,
      maxRecordBytes,
    });

  const addRecord = (end: number, out: SplitChunk[]): void => {
    let recordEnd = end;
    if (recordEnd - scan.foundStart > maxRecordBytes) throw tooLarge(scan.foundLine);
    if (chunkRows > 0 && recordEnd - chunkStart > limit) {
      recordEnd -= scan.foundStart;
      cut(scan.foundStart, out);
    }
    if (chunkRows === 0) {
      chunkStart = scan.foundStart;
      chunkLine = scan.foundLine;
    }
    release(out);
    chunkRows++;
    rows++;
    chunkEnd = recordEnd;
    if (chunkRows >= maxRows || chunkEnd - chunkStart >= limit) cut(chunkEnd, out);
  };

  /** True where the first record was no header but names the delimiter. */
  const takeAnnouncement = (record: Buffer): boolean => {
    if (announced !== undefined) return false;
    const delimiter = announcedDelimiter(record);
    if (delimiter === undefined || delimiter !== (options.dialect?.delimiter ?? delimiter)) return false;
    announced = delimiter;
    scan.delimiter = delimiter;
    compact(scan.position);
    return true;
  };

  const takeHeader = (): void => {
    const bytes = Buffer.from(buffer.subarray(scan.foundStart, scan.foundTextEnd));
    if (takeAnnouncement(bytes)) return;
    const delimiter = announced ?? sniffDelimiter(bytes);
    const dialect = options.dialect ?? { delimiter, quote: QUOTE };
    header = { bytes, line: scan.foundLine, dialect };
    scan.delimiter = dialect.delimiter;
    if (options.maxCellsPerChunk !== undefined) {
      const fieldCount = Math.max(1, countFields(bytes, dialect));
      maxRows = Math.min(maxRows, Math.max(1, Math.floor(options.maxCellsPerChunk / fieldCount)));
    }
    compact(scan.position);
  };

  const advance = (final: boolean, out: SplitChunk[]): void => {
    for (;;) {
      const end = nextRecord(scan, buffer, words, filled, final);
      if (end < 0) return;
      if (header === undefined) takeHeader();
      else addRecord(end, out);
    }
  };

  /** The buffer is full of bytes that were looked at. */
  const makeRoom = (out: SplitChunk[]): void => {
    const start = chunkRows > 0 ? chunkStart : scan.recordStart;
    if (start > 0) {
      compact(start);
      if (chunkRows > 0) {
        chunkStart = 0;
        chunkEnd -= start;
      }
    } else if (chunkRows > 0 && header !== undefined) {
      cut(scan.recordStart, out);
    } else {
      if (filled - scan.recordStart > maxRecordBytes) throw tooLarge(scan.recordLine);
      const memory = allocate(Math.min(buffer.length * 2, maxRecordBytes + limit) + slackBytes);
      buffer.copy(memory, 0, 0, filled);
      use(memory);
    }
  };

  const take = (bytes: Uint8Array, out: SplitChunk[]): void => {
    for (let at = 0; at < bytes.length; ) {
      if (filled === buffer.length) makeRoom(out);
      const taken = Math.min(bytes.length - at, buffer.length - filled, stepBytes);
      buffer.set(bytes.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      advance(false, out);
    }
  };

  return {
    push(piece) {
      const out: SplitChunk[] = [];
      take(unicode.read(piece), out);
      return out;
    },

    end() {
      const out: SplitChunk[] = [];
      take(unicode.end(), out);
      advance(true, out);
      if (scan.quoted) {
        const line = scan.quoteLine;
        throw invalid('unterminated_quote', `Line ${line}: a quote is opened that is never closed.`, {
          line,
        });
      }
      if (header === undefined) throw invalid('empty_file', 'The file is empty.');
      if (chunkRows > 0) {
        release(out);
        out.push(finishedChunk(true));
      } else if (held !== undefined) {
        out.push({ ...held, last: true });
      }
      held = undefined;
      chunkRows = 0;
      return out;
    },

    get header() {
      return header;
    },
    get rows() {
      return rows;
    },
    recycle({ bytes }) {
      const memory = bytes.buffer;
      // Memory of a first chunk is too small, that of an outsize record too large to be kept.
      const fits = memory.byteLength >= chunkBytes + slackBytes && memory.byteLength <= 2 * chunkBytes;
      if (spare.length < 2 && fits) spare.push(Buffer.from(memory));
    },
  };
};
