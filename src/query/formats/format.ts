/**
 * A format as the rest of a download sees it. Each has a folder with one record of this kind; the rest uses the
 * record and knows no format by name.
 */
import type { Readable } from 'node:stream';
import type { DataType, PhysicalType } from '../../model/column.js';
import type { ReadSettings } from '../../storage/clickhouse/reader.js';

/** A column of the answer. */
export interface OutputColumn {
  /** As the header shows it. */
  readonly name: string;
  /** Expression over the columns of the store. */
  readonly sql: string;
  /** How the values are stored; combined ones are text. */
  readonly physical: PhysicalType;
  /** Id that the column keeps over renames and versions, shared by clones; absent for calculated ones. */
  readonly fieldId?: number;
}

/** Cells in one array of tuples of one nullable value. */
export interface ArrayCells {
  readonly sql: string;
  readonly physical: PhysicalType;
  /** Headers of the cells. */
  readonly names: readonly string[];
}

/** Options that change how cells are written, each of which only some formats take. */
export interface Appearance {
  readonly decimals: 'number' | 'string';
  readonly quote: 'all' | 'minimal';
}

export const plainAppearance: Appearance = { decimals: 'number', quote: 'all' };

/** A statement with its `FORMAT`, and the settings that shape its bytes. */
export interface FormattedQuery {
  readonly sql: string;
  readonly settings: ReadSettings;
}

/** Rows with thousands of cells, which are in one array: as columns they would cost seconds. */
export interface TransposedSelect {
  /** The outermost SELECT: labels and cells. `m` is the row's number where `rowNumber` is given. */
  project(labels: readonly OutputColumn[], cells: ArrayCells): string;
  /** Key of each cell of the array for the SELECT, as the parameter `keys`; by its header and place. */
  readonly keyOf?: (name: string, index: number) => string;
  /** Expression of the row's number, right above a sorted subquery. @param before Rows of earlier queries. */
  readonly rowNumber?: (columns: number, before: number) => string;
  /** True where all rows come from one query, as texts when their types differ. */
  readonly inOneQuery: boolean;
  /** Name of the format in ClickHouse. */
  readonly clickHouse: string;
  readonly settings: ReadSettings;
}

/** The question to ClickHouse. */
interface Select {
  /** @param fromAndTail `FROM …` and everything behind it. */
  rows(columns: readonly OutputColumn[], fromAndTail: string, appearance: Appearance): FormattedQuery;
  transposed(appearance: Appearance): TransposedSelect;
}

/** A further sheet of a workbook, of texts. */
export interface Sheet {
  readonly name: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Rows that are at hand, not in ClickHouse. */
export interface Table {
  readonly columns: readonly { readonly name: string; readonly dataType: DataType }[];
  /** Cells as text; null: no value. Decimals with the digits they shall have. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** Description of the rows, for formats that have a place for it. */
  readonly about?: Sheet | undefined;
}

/** Conversion of ClickHouse's bytes. */
interface Frame {
  /** @param about What the rows are; ignored unless `describes`. */
  rows(bytes: Readable, columns: readonly Pick<OutputColumn, 'name' | 'fieldId'>[], about?: Sheet): Readable;
  transposed(
    bytes: AsyncIterable<Buffer>,
    names: readonly string[],
    appearance: Appearance,
    about?: Sheet,
  ): Readable;
}

export interface TableFrame extends Frame {
  /** The same form for rows at hand. */
  table(table: Table): string | Readable;
}

/** Check of the rows before the first byte, for values that the format cannot hold. */
export interface RowCheck {
  /** A statement of one row with a number as `place`; undefined when there is nothing to check. */
  sql(columns: readonly OutputColumn[], from: string): string | undefined;
  /** @throws AppError `invalid` that says what does not fit. */
  judge(columns: readonly OutputColumn[], place: number): void;
}

/** Most rows of a group in a file of columns, whose groups are read one by one. */
export const mostGroupRows = 131_072;

export interface FormatRecord<F extends Frame = Frame> {
  /** Text types name their charset: without it some clients read ISO 8859-1. */
  readonly mediaType: string;
  readonly extension: string;
  /** Name of the format in ClickHouse, for rows. */
  readonly clickHouse: string;
  /** True when gzip or zstd makes it much smaller. */
  readonly compressible: boolean;
  /** True when a link leads to the whole file. */
  readonly linked: boolean;
  /** True where readers begin at the end of a file, so that they ask for its length first. */
  readonly readFromEnd: boolean;
  /** True if equal rows give equal bytes, independent of parts in ClickHouse. */
  readonly reproducible: boolean;
  /** True where a file can say what its rows are. */
  readonly describes: boolean;
  /** Most columns that it holds. */
  readonly maxColumns: number | undefined;
  readonly takes: readonly (keyof Appearance)[];
  readonly check: RowCheck | undefined;
  /**
   * Makes one file of files of consecutive rows; absent where one query gives the bytes of a file.
   * @param columns Number of columns.
   */
  readonly join?: (files: AsyncIterable<Readable>, columns: number) => Readable;
  readonly select: Select;
  readonly frame: F;
}
