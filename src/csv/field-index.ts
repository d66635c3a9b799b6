import { CR, LF, shownValue } from './bytes.js';
import { blockFields, blockRows, kernelMemory } from './kernel.js';
import type { BadRow, BadRowReason, ChunkSpan, Dialect } from './types.js';

/**
 * Positions of the fields of some hundred records of a chunk, as the one CSV parser of the hot path finds them.
 * Columns are then read one after the other from it, each by a loop that knows its type; the text of a block
 * of records stays in the processor's cache meanwhile. No string or object is made per field.
 *
 * The dialect is RFC 4180 with these answers to what it leaves open:
 * - LF, CRLF and CR each end a record, also mixed; blank lines are skipped.
 * - A quote opens a quoted field at the start of a field only. Elsewhere in an unquoted field it is a character
 *   like others (`5" pipe`), but after nothing except blanks (` "a"`) nobody can tell: a bad row.
 * - After the closing quote nothing but a delimiter or a line end may follow: anything else is a bad row.
 * The splitter walks the same states, so both agree on where records end.
 */
export interface FieldIndex {
  /** Fields of a record. */
  readonly fieldCount: number;
  /** Records that fit. */
  readonly capacity: number;
  /** True where the positions are in the memory of the kernel, and are lost when other work runs. */
  readonly shared: boolean;
  /** First byte of the field's text, at `record * fieldCount + field`; of a quoted field, the one in the quotes. */
  readonly starts: Int32Array;
  /** End of the field's text; its complement (`~end`) where doubled quotes stand for single ones. */
  readonly ends: Int32Array;
  /** Position of the record in the chunk, bad ones counted. */
  readonly ordinals: Int32Array;
  /** Line of the record relative to the chunk's first. */
  readonly lines: Int32Array;
  readonly recordStarts: Int32Array;
  readonly recordEnds: Int32Array;
  /** The bytes that positions of the block are relative to: a part of the chunk in the kernel's memory, or all of the chunk. */
  text: Uint8Array;
  /** Position of `text` in the chunk. */
  textStart: number;
  /** True where `text` is in the kernel's memory. */
  inKernel: boolean;
  /** Bytes of the chunk that are copied there for the next block. */
  window: number;
  /** Records indexed. */
  rows: number;
  /** First byte of the chunk that is not indexed yet, and the record and line it belongs to. */
  next: number;
  ordinal: number;
  line: number;
  /** Malformed records met by the last call. */
  readonly malformed: MalformedRecord[];
  readonly classes: Uint8Array;
  /** Highest byte that is not text. */
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

/**
 * @param shared Whether the kernel indexes plain records; the block must then be read before other work runs.
 * @default true
 */
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

/** Drops the chunk: an index is reused, and would keep megabytes alive. */
export const closeIndex = (index: FieldIndex): void => {
  index.text = noText;
};

/** Puts the index before the first record of a chunk. */
export const openIndex = (index: FieldIndex): void => {
  index.rows = 0;
  index.next = 0;
  index.ordinal = 0;
  index.line = 0;
  index.malformed.length = 0;
};

/** Drops the records marked in `dropped` from the block. */
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
