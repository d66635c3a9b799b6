/**
 * Interface of a format. Each format has a folder with one `FormatRecord`; the rest of the code uses the record and never
 * checks for a format by name.
 */
import type { Readable } from 'node:stream';
import type { DataType, PhysicalType } from '../../model/column.js';
import type { ReadSettings } from '../../storage/clickhouse/reader.js';

/** A column of the answer. */
export interface OutputColumn {
  /** Header. */
  readonly name: string;
  /** Expression over the stored columns. */
  readonly sql: string;
  readonly physical: PhysicalType;
  /** Stable across renames and versions, and shared by clones; absent for calculated columns. */
  readonly fieldId?: number;
}

/** An array of cells, each a tuple of one nullable value. */
export interface ArrayCells {
  readonly sql: string;
  readonly physical: PhysicalType;
  /** One header per cell. */
  readonly names: readonly string[];
}

/** Options that change how cells are written. Each format takes some of them. */
export interface Appearance {
  readonly decimals: 'number' | 'string';
  readonly quote: 'all' | 'minimal';
}

export const plainAppearance: Appearance = { decimals: 'number', quote: 'all' };

/** A statement with its `FORMAT`, and the settings that affect its bytes. */
export interface FormattedQuery {
  readonly sql: string;
  readonly settings: ReadSettings;
}

/** SELECT of rows with thousands of cells in one array: analysing as many columns would take seconds. */
export interface TransposedSelect {
  /** The outermost SELECT: labels and cells. `m` is the row number if `rowNumber` is given. */
  project(labels: readonly OutputColumn[], cells: ArrayCells): string;
  /** Key per cell, passed as the parameter `keys`. */
  readonly keyOf?: (name: string, index: number) => string;
  /** Expression of the row number, directly above a sorted subquery. @param before rows of earlier queries */
  readonly rowNumber?: (columns: number, before: number) => string;
  /** True if all rows come from one query, which converts values of different types to text. */
  readonly inOneQuery: boolean;
  /** Format name in ClickHouse. */
  readonly clickHouse: string;
  readonly settings: ReadSettings;
}

interface Select {
  /** @param fromAndTail `FROM …` and everything after it */
  rows(columns: readonly OutputColumn[], fromAndTail: string, appearance: Appearance): FormattedQuery;
  transposed(appearance: Appearance): TransposedSelect;
}

/** An additional sheet of text. */
export interface Sheet {
  readonly name: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Rows in memory instead of ClickHouse. */
export interface Table {
  readonly columns: readonly { readonly name: string; readonly dataType: DataType }[];
  /** Cells as text. Decimals are written with exactly these digits. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** Description of the rows, for formats that can include it. */
  readonly about?: Sheet | undefined;
}

/** Converts the output of ClickHouse. */
interface Frame {
  /** @param about description of the rows; ignored unless `describes` */
  rows(
    bytes: Readable,
    columns: readonly Pick<OutputColumn, 'name' | 'physical' | 'fieldId'>[],
    about?: Sheet,
  ): Readable;
  transposed(
    bytes: AsyncIterable<Buffer>,
    names: readonly string[],
    appearance: Appearance,
    about?: Sheet,
  ): Readable;
}

export interface TableFrame extends Frame {
  /** Writes rows in memory in the same format. */
  table(table: Table): string | Readable;
}

/** Finds values that the format cannot represent, before the first byte is sent. */
export interface RowCheck {
  /** A statement that returns one row with a number `place`; undefined if there is nothing to check. */
  sql(columns: readonly OutputColumn[], from: string): string | undefined;
  /** @throws AppError `invalid` that names the column */
  judge(columns: readonly OutputColumn[], place: number): void;
}

/** Maximum rows in a row group of a columnar file. */
export const maxGroupRows = 131_072;

export interface FormatRecord<F extends Frame = Frame> {
  /** Text types need a charset: without one some clients assume ISO 8859-1. */
  readonly mediaType: string;
  readonly extension: string;
  /** Format name in ClickHouse, for rows. */
  readonly clickHouse: string;
  /** True if gzip or zstd makes it much smaller. */
  readonly compressible: boolean;
  /** True if a link can point to the whole file. */
  readonly linked: boolean;
  /** True if readers start at the end of a file, so they need its length first. */
  readonly readFromEnd: boolean;
  /** True if equal rows give equal bytes, independent of parts in ClickHouse. */
  readonly reproducible: boolean;
  /** True if a file can include a description of its rows. */
  readonly describes: boolean;
  readonly maxColumns?: number;
  /** Longest name of a column, in UTF-16 units. */
  readonly maxNameLength?: number;
  readonly takes: readonly (keyof Appearance)[];
  readonly check?: RowCheck;
  /**
   * Joins files of consecutive rows into one; absent if one query returns the whole file.
   * @param columns number of columns
   */
  readonly join?: (files: AsyncIterable<Readable>, columns: number) => Readable;
  readonly select: Select;
  readonly frame: F;
}
