import type { PhysicalType } from '../model/column.js';
import type { DaySet } from '../model/day-set.js';

/**
 * Terms of this folder:
 *
 * - *record*: one row of the file, up to its line end (LF, CRLF or CR outside of quotes). A blank line is not a record.
 * - *row*: number of a data record in the file, from 0. Bad records count, the header does not.
 * - *line*: physical line in the file, from 1. The header, blank lines and line breaks in quotes count.
 * - *chunk*: consecutive whole records. How a file is split into chunks does not depend on the pieces in which it arrives.
 */

/** Delimiter and quote, each a single ASCII byte. */
export interface Dialect {
  readonly delimiter: number;
  readonly quote: number;
}

/** How a manifest overrides the type rules of one column. */
export interface ColumnRules {
  /** Format of dates in strptime letters (`%d/%m/%Y`); replaces the built-in forms. */
  readonly dateFormat?: string;
  /** Reads a four-digit number as a year, stored as its first day. */
  readonly bareYear?: boolean;
  /** Decimal separator. @default '.' */
  readonly decimal?: '.' | ',';
  /** Texts that are null in this column, in addition to the empty field. */
  readonly nullValues?: readonly string[];
}

/** Position of a chunk in its file. */
export interface ChunkSpan {
  /** Row of the first record. */
  readonly firstRow: number;
  /** Number of records, good and bad. */
  readonly rows: number;
  /** Line on which the first record begins. */
  readonly firstLine: number;
}

export interface SplitChunk extends ChunkSpan {
  readonly bytes: Buffer;
  /** True for the last chunk. A file without data rows has no chunk. */
  readonly last: boolean;
}

/** `u`: only empty fields and null markers so far. `skip`: the field is not stored. */
export type EncodePhysical = PhysicalType | 'u' | 'skip';

export interface EncodeColumn {
  /** Name of the column in the table. */
  readonly storageName: string;
  /** Type in the table, in ClickHouse's notation, with values of the same size. @default the type of `physical` */
  readonly storageType?: string;
  readonly physical: EncodePhysical;
  /** Position of the field in the record, from 0. */
  readonly sourceIndex: number;
  /** True if a manifest sets the type: a value that does not fit makes its row bad instead of widening the type. */
  readonly fixed?: boolean;
  /** True if only years fit. Only for doubles. */
  readonly years?: boolean;
  readonly rules?: ColumnRules;
}

export type BadRowReason =
  | 'field_count' // more or fewer fields than the header
  | 'text_after_quote' // "abc"x
  | 'blank_before_quote' // a quote after leading blanks, which is ambiguous
  | 'unterminated_quote'
  | 'value'; // a value that does not fit a fixed type

/** A record that is not stored, and the position of its raw bytes in the chunk. */
export interface BadRow {
  readonly reason: BadRowReason;
  readonly row: number;
  readonly line: number;
  /** Position of the bad field, from 0; null: the whole record is bad. */
  readonly field: number | null;
  /** Text of the field, truncated to 200 characters; null: the whole record is bad. */
  readonly value: string | null;
  /** Number of fields found, for `field_count`. */
  readonly fieldCount: number | null;
  readonly rawStart: number;
  /** End of the record without its line end. */
  readonly rawEnd: number;
}

/** A value that its column's physical type cannot hold without altering it. */
export interface Violation {
  /** Position in the encoder's `columns`. */
  readonly column: number;
  readonly field: number;
  readonly row: number;
  readonly line: number;
  /** Text of the field, truncated to 200 characters. */
  readonly value: string;
  readonly physical: EncodePhysical;
}

interface EncodedChunk {
  readonly kind: 'encoded';
  /** One block in ClickHouse's `Native` format, in pieces; valid until the encoder's next call. */
  readonly block: readonly Buffer[];
  /** Rows in the block: those of the chunk except bad ones. */
  readonly rows: number;
  readonly badRows: readonly BadRow[];
  /**
   * Days in the column at a position of the encoder's `columns`; a year counts as its first day. Undefined for a column that is
   * stored neither as days nor as doubles.
   */
  readonly daysOf: (position: number) => DaySet | undefined;
}

export type EncodeResult =
  | EncodedChunk
  | { readonly kind: 'violation'; readonly violation: Violation }
  | { readonly kind: 'bad_row'; readonly badRow: BadRow }
  /** The first bad rows of the chunk, one more than `maxBadRows`. */
  | { readonly kind: 'too_many_bad_rows'; readonly badRows: readonly BadRow[] };

export interface ChunkEncoderOptions {
  readonly dialect: Dialect;
  /** Fields that each record must have. */
  readonly fieldCount: number;
  readonly columns: readonly EncodeColumn[];
  /** `collect` leaves bad rows out of the block and lists them. @default 'fail' */
  readonly onBadRow?: 'fail' | 'collect';
  /** `collect`: a chunk with more bad rows is not encoded. @default unlimited */
  readonly maxBadRows?: number;
  /** False: everything is parsed in JavaScript, which defines the correct result. For tests. @default true */
  readonly kernel?: boolean;
}

/** Segment of the rows, and the number of their upload in the dataset, which is part of their positions. */
export interface RowsTarget {
  readonly segment: bigint | number;
  readonly uploadNumber: number;
}

export interface ChunkEncoder {
  /** Encodes a chunk. A failure reports the first bad value in the file: lowest line, then leftmost column. */
  encode(bytes: Uint8Array, position: ChunkSpan, target: RowsTarget): EncodeResult;
  /**
   * Like `encode`, in steps of some hundred records, so that other work can run in between. Until the last step, `bytes` must not change and
   * the encoder must not be used for another chunk.
   */
  encodeInSteps(bytes: Uint8Array, position: ChunkSpan, target: RowsTarget): Iterator<void, EncodeResult>;
}

export interface RecordSplitterOptions {
  /** @default recognised from the header */
  readonly dialect?: Dialect | undefined;
  /** Size of the first chunk; a larger record makes a chunk of its own. */
  readonly firstChunkBytes: number;
  readonly chunkBytes: number;
  /** @default 16 MiB */
  readonly maxRecordBytes?: number;
  readonly maxRowsPerChunk?: number;
  /** Most rows × columns per chunk; every chunk has at least one row. */
  readonly maxCellsPerChunk?: number;
}

/** The header record, without its line end and byte order mark. */
export interface HeaderRecord {
  readonly bytes: Buffer;
  readonly line: number;
  readonly dialect: Dialect;
  readonly fieldCount: number;
}

/**
 * Splits a stream of bytes into header and chunks in UTF-8 without a byte order mark. UTF-16 with a mark is converted.
 * @throws AppError that names the line
 */
export interface RecordSplitter {
  /** Adds the next bytes of the file and returns the chunks they complete. The bytes are copied, so the caller may reuse them. */
  push(piece: Uint8Array): SplitChunk[];
  /**
   * Ends the file and returns the remaining chunks; none for a file with only a header.
   * @throws AppError for a file without any record
   */
  end(): SplitChunk[];
  /** Like `push` and `end`, in steps: for use until the header, which may be long, is known. */
  readonly inSteps: {
    push(piece: Uint8Array): Generator<void, SplitChunk[]>;
    end(): Generator<void, SplitChunk[]>;
  };
  /** Undefined until a call completes the header. */
  readonly header: HeaderRecord | undefined;
  /** Data rows found so far. */
  readonly rows: number;
  /** Returns the memory of a chunk for reuse; the chunk must not be read afterwards. Optional. */
  recycle(chunk: SplitChunk): void;
}

/**
 * Facts about the values of one column. Joining profiles is associative, commutative and idempotent, so the type of a column
 * depends only on its values, not on how they are split into chunks.
 */
export interface ColumnProfile {
  /** `text` includes dates mixed with numbers. `none`: only empty fields and markers. */
  readonly kind: 'none' | 'date' | 'number' | 'text';
  /** Has a null marker. False for `text`, where a marker is text. */
  readonly marker: boolean;
  /** Has a date outside the range of Date32. */
  readonly farDate: boolean;
  /** Has a number that a double does not represent digit for digit. */
  readonly inexact: boolean;
  /** Most digits before and after the point, without leading and trailing zeros. */
  readonly integerDigits: number;
  readonly fractionDigits: number;
  /** Has a number that is not a year. Checked only in columns with a name for years. */
  readonly offYears: boolean;
}
