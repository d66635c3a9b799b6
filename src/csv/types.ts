import type { PhysicalType } from '../model/column.js';
import type { DaySet } from '../model/day-set.js';

/**
 * Terms of this folder.
 *
 * - *record*: one row of the file, up to its line end (LF, CRLF or CR outside of quotes). Blank lines are none.
 * - *row*: position of a data record in the file, from 0; the header is not counted. Bad records are.
 * - *line*: physical line in the file, from 1. A quoted line break, a blank line and the header each count.
 * - *chunk*: whole records, split by rules that do not depend on how the bytes of the file arrived.
 */

/** How fields are separated; each a single ASCII byte. */
export interface Dialect {
  readonly delimiter: number;
  readonly quote: number;
}

/** Overrides of the type rules for one column, from the uploader's manifest. */
export interface ColumnRules {
  /** How dates are written, in strptime letters (`%d/%m/%Y`); replaces the built-in forms. */
  readonly dateFormat?: string;
  /** A four-digit number is a year, stored as its first day. */
  readonly bareYear?: boolean;
  /** The sign before the fraction; a point when missing. */
  readonly decimal?: '.' | ',';
  /** Texts that are null in this column, in addition to the empty field. */
  readonly nullValues?: readonly string[];
}

/** Position of a chunk in its file: enough to name each record by its number in the file. */
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
  /** True for the chunk that ends the file; a file without data rows has none. */
  readonly last: boolean;
}

/** `u`: nothing but empty fields and null markers so far. `skip`: the field is read over and not stored. */
export type EncodePhysical = PhysicalType | 'u' | 'skip';

export interface EncodeColumn {
  /** Name of the column in the table. */
  readonly storageName: string;
  /** Its type there, in ClickHouse's notation, of as many bytes. @default as `physical` says */
  readonly storageType?: string;
  readonly physical: EncodePhysical;
  /** Position of the field in the record, from 0. */
  readonly sourceIndex: number;
  /** True where a value that does not fit is the row's fault (type set by a manifest), not the type's. */
  readonly fixed?: boolean;
  /** A number that is no year does not fit; doubles only. */
  readonly years?: boolean;
  readonly rules?: ColumnRules;
}

export type BadRowReason =
  | 'field_count' // not as many fields as the header
  | 'text_after_quote' // "abc"x
  | 'blank_before_quote' // a quote after blanks only: quoted or not, nobody can tell
  | 'unterminated_quote'
  | 'value'; // a value that does not fit a fixed type

/** A record that is left out, with the place of its raw bytes in the chunk. */
export interface BadRow {
  readonly reason: BadRowReason;
  readonly row: number;
  readonly line: number;
  /** Position of the field at fault, from 0; null where it is the whole record. */
  readonly field: number | null;
  /** The field's text, cut to 200 characters; null where it is the whole record. */
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
  /** The field's text, cut to 200 characters. */
  readonly value: string;
  readonly physical: EncodePhysical;
}

interface EncodedChunk {
  readonly kind: 'encoded';
  /** One block in ClickHouse's `Native` format, in pieces; valid until the encoder's next call. */
  readonly block: readonly Buffer[];
  /** Rows in the block: those of the chunk without the bad ones. */
  readonly rows: number;
  readonly badRows: readonly BadRow[];
  /**
   * The days in the column at a position of the encoder's `columns`, those of years their first; undefined when it keeps
   * neither days nor doubles.
   */
  readonly daysOf: (position: number) => DaySet | undefined;
}

export type EncodeResult =
  | EncodedChunk
  | { readonly kind: 'violation'; readonly violation: Violation }
  | { readonly kind: 'bad_row'; readonly badRow: BadRow };

export interface ChunkEncoderOptions {
  readonly dialect: Dialect;
  /** Fields that each record must have. */
  readonly fieldCount: number;
  readonly columns: readonly EncodeColumn[];
  /** `collect` leaves bad rows out of the block and lists them. Default `fail`. */
  readonly onBadRow?: 'fail' | 'collect';
  /** False: plain records and values take the path of all others, which defines the result. @default true */
  readonly kernel?: boolean;
}

/** Segment that gets the rows, and the number of their upload in the dataset, which is part of their positions. */
export interface RowsTarget {
  readonly segment: bigint | number;
  readonly uploadNumber: number;
}

export interface ChunkEncoder {
  /** The place reported is the first one in the file: lowest line, then leftmost column. */
  encode(bytes: Uint8Array, position: ChunkSpan, target: RowsTarget): EncodeResult;
  /**
   * The same in steps of some hundred records, so that other work can run in between. `bytes` and what the
   * encoder holds must be left alone until the last step.
   */
  encodeInSteps(bytes: Uint8Array, position: ChunkSpan, target: RowsTarget): Iterator<void, EncodeResult>;
}

export interface RecordSplitterOptions {
  /** Recognised from the header when missing. */
  readonly dialect?: Dialect | undefined;
  /** Size of the first chunk; a record that is larger makes a chunk of its own. */
  readonly firstChunkBytes: number;
  readonly chunkBytes: number;
  /** @default 16 MiB */
  readonly maxRecordBytes?: number;
  readonly maxRowsPerChunk?: number;
  /** Rows × columns of a chunk, which has at least one row. */
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
 * Cuts a stream of bytes into header and chunks, UTF-8 without byte order mark; UTF-16 with one is converted.
 * Throws an AppError that names the line.
 */
export interface RecordSplitter {
  /** Takes the next bytes of the file (copied, so the caller may reuse them); returns the chunks they complete. */
  push(piece: Uint8Array): SplitChunk[];
  /** The file is over. A file without any record is refused; one with a header only returns no chunk. */
  end(): SplitChunk[];
  /** The same step by step, until the header is known: it may be long. */
  readonly inSteps: {
    push(piece: Uint8Array): Generator<void, SplitChunk[]>;
    end(): Generator<void, SplitChunk[]>;
  };
  /** Known from the call on that completes the header. */
  readonly header: HeaderRecord | undefined;
  /** Data rows found so far. */
  readonly rows: number;
  /** Gives a chunk's memory back for use by a later chunk. Optional; the chunk must not be read afterwards. */
  recycle(chunk: SplitChunk): void;
}

/**
 * Facts about the values of one column. Profiles form a lattice: joining is associative, commutative
 * and idempotent, so the type of a column depends on its values alone, never on how they were cut into chunks.
 */
export interface ColumnProfile {
  /** `text` absorbs everything, also dates mixed with numbers; `none`: no value but empty fields and markers. */
  readonly kind: 'none' | 'date' | 'number' | 'text';
  /** A null marker was seen (false for `text`, where it is text). */
  readonly marker: boolean;
  /** A date outside of what Date32 holds. */
  readonly farDate: boolean;
  /** A number that a double does not give back digit for digit. */
  readonly inexact: boolean;
  /** Most digits before and after the point, leading and trailing zeros not counted. */
  readonly integerDigits: number;
  readonly fractionDigits: number;
  /** A number that is no year was seen; checked only in columns whose names say year. */
  readonly offYears: boolean;
}
