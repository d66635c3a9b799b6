import { CR, LF, shownValue } from './bytes.js';
import { blockFields, blockRows, kernelMemory } from './kernel.js';
import type { BadRow, BadRowReason, ChunkSpan, Dialect } from './types.js';

/**
 * Positions of the fields in a block of some hundred records. From it a loop per column encodes the values, while the text of the block is in
 * the processor's cache. No string or object is created per field.
 *
 * The dialect is RFC 4180. Where that leaves a choice:
 * - LF, CRLF and CR each end a record, and may be mixed. Blank lines are skipped.
 * - A quote opens a quoted field only at the start of the field. Later in an unquoted field it is an ordinary character
 *   (`5" pipe`). After leading blanks (` "a"`) it is ambiguous, so the row is bad.
 * - A closing quote must be followed by a delimiter or a line end; otherwise the row is bad.
 * The record splitter follows the same rules, so both find the same record ends.
 */
export interface FieldIndex {
  /** Fields per record. */
  readonly fieldCount: number;
  /** Most records per block. */
  readonly capacity: number;
  /** True if the positions are in the kernel's memory, where other work overwrites them. */
  readonly shared: boolean;
  /** Start of the field's text, without its quotes, at `record * fieldCount + field`. */
  readonly starts: Int32Array;
  /** End of the field's text, or its complement (`~end`) if the text has doubled quotes. */
  readonly ends: Int32Array;
  /** Number of the record in the chunk, including bad ones. */
  readonly ordinals: Int32Array;
  /** Line of the record relative to the chunk's first. */
  readonly lines: Int32Array;
  readonly recordStarts: Int32Array;
  readonly recordEnds: Int32Array;
  /** Bytes that the positions refer to: the whole chunk, or a part of it in the kernel's memory. */
  text: Uint8Array;
  /** Position of `text` in the chunk. */
  textStart: number;
  /** True if `text` is in the kernel's memory. */
  inKernel: boolean;
  /** Bytes to copy to the kernel's memory for the next block. */
  window: number;
  /** Records indexed. */
  rows: number;
  /** First byte of the chunk that is not indexed yet, with its record number and line. */
  next: number;
  ordinal: number;
  line: number;
  /** Malformed records that the last call found. */
  readonly malformed: MalformedRecord[];
  readonly classes: Uint8Array;
  /** Highest byte that is a delimiter, a quote or a line end. */
  readonly topByte: number;
  readonly dialect: Dialect;
}

interface MalformedRecord {
  readonly reason: BadRowReason;
  readonly ordinal: number;
  readonly line: number;
  readonly field: number | null;
  readonly fieldCount: number;
  readonly start: number;
  readonly end: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** Kinds of bytes outside of quotes. */
export const textKind = 0;
const delimiterKind = 1;
export const lineEndKind = 2;
export const quoteKind = 3;

export const isFieldEnd = (kind: number): boolean => kind === delimiterKind || kind === lineEndKind;

/** @param shared True: the kernel indexes plain records, and the block must be encoded before other work runs. */
export const createFieldIndex = (dialect: Dialect, fieldCount: number, shared = true): FieldIndex => {
  const capacity = Math.max(1, Math.min(blockRows, Math.floor(blockFields / fieldCount)));
  const cells = capacity * fieldCount;
  const usesKernel = shared && cells <= blockFields;
  const classes = new Uint8Array(256);
  classes[dialect.delimiter] = delimiterKind;
  classes[dialect.quote] = quoteKind;
  classes[LF] = lineEndKind;
  classes[CR] = lineEndKind;
  return {
    fieldCount,
    capacity,
    shared: usesKernel,
    ...(usesKernel
      ? kernelMemory
      : {
          starts: new Int32Array(cells),
          ends: new Int32Array(cells),
          lines: new Int32Array(capacity),
          recordStarts: new Int32Array(capacity),
          recordEnds: new Int32Array(capacity),
        }),
    ordinals: new Int32Array(capacity),
    text: noText,
    textStart: 0,
    inKernel: false,
    window: 64 << 10,
    rows: 0,
    next: 0,
    ordinal: 0,
    line: 0,
    malformed: [],
    classes,
    topByte: Math.max(dialect.delimiter, dialect.quote, CR, LF),
    dialect,
  };
};

const noText = new Uint8Array(0);

/** Releases the chunk: the reused index would keep it in memory. */
export const closeIndex = (index: FieldIndex): void => {
  index.text = noText;
};

/** Resets the index to the start of a chunk. */
export const openIndex = (index: FieldIndex): void => {
  index.rows = 0;
  index.next = 0;
  index.ordinal = 0;
  index.line = 0;
  index.malformed.length = 0;
};

/** Removes records from the block. @param dropped Their rows in the block. */
export const dropRecords = (index: FieldIndex, dropped: ReadonlySet<number>): void => {
  const { starts, ends, ordinals, lines, recordStarts, recordEnds, fieldCount } = index;
  let kept = 0;
  for (let row = 0; row < index.rows; row++) {
    if (dropped.has(row)) continue;
    if (kept !== row) {
      starts.copyWithin(kept * fieldCount, row * fieldCount, (row + 1) * fieldCount);
      ends.copyWithin(kept * fieldCount, row * fieldCount, (row + 1) * fieldCount);
      ordinals[kept] = ordinals[row]!;
      lines[kept] = lines[row]!;
      recordStarts[kept] = recordStarts[row]!;
      recordEnds[kept] = recordEnds[row]!;
    }
    kept++;
  }
  index.rows = kept;
};

/** Text of a field for a message. @param cell `record * fieldCount + field`. */
export const fieldText = ({ text, starts, ends }: FieldIndex, cell: number): string => {
  const end = ends[cell]!;
  return shownValue(text, starts[cell]!, end < 0 ? ~end : end, end < 0);
};

export const badRowOf = (
  record: MalformedRecord,
  { text, textStart }: FieldIndex,
  position: ChunkSpan,
): BadRow => ({
  reason: record.reason,
  row: position.firstRow + record.ordinal,
  line: position.firstLine + record.line,
  field: record.field,
  value: record.field === null ? null : shownValue(text, record.valueStart, record.valueEnd, false),
  fieldCount: record.reason === 'field_count' ? record.fieldCount : null,
  rawStart: textStart + record.start,
  rawEnd: textStart + record.end,
});
