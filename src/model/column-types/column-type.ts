/**
 * Everything that the product needs to know about a kind of stored value. Each kind has a file with one record of this type, and
 * `column-types.ts` collects them. Only this folder decides what is stored, encoded, compared and written; no other code examines a type
 * code.
 */
import type { DataType, PhysicalType } from '../column.js';

/** Plain types: days, texts, doubles, the digits of decimals in 16 or 32 bytes. Part of names: never change. */
export type PlainKind = 'd' | 's' | 'f' | 'i' | 'h';

/** First letter of a code. Part of names: never change. */
export type CodeLetter = PhysicalType extends `${infer First}${string}` ? First : never;

/** Values with the same comparison class can be compared across kinds. */
export type ComparisonClass = 'date' | 'number' | 'text';

/** Storage of dates for comparisons and date functions: days of ClickHouse, or texts with the sort order of dates. */
export type DateStorage = 'days' | 'texts';

/** Storage of numbers for comparisons and calculations: doubles that represent their shortest decimal text, or decimals. */
export type NumberForm = 'doubles' | 'decimals';

export interface ColumnType<L extends CodeLetter = CodeLetter> {
  readonly letter: L;
  /** Type that users see. */
  readonly dataType: DataType;
  readonly compares: ComparisonClass;
  /** True if columns of this type are entities by default. */
  readonly isEntity: boolean;
  /** Type in ClickHouse, without Nullable, which every column is. */
  storage(physical: PhysicalType): string;
  /** The plain type of a column that can store these values and those of other types. */
  readonly plain: {
    kind(physical: PhysicalType): PlainKind;
    /** True if it stores the value's bytes as another type. */
    readonly reinterpreted: boolean;
  };
  /** Expression of a value as text, digit for digit. */
  text(sql: string): string;
  /** Text that equal values of a data type share, in every storage type. */
  canonicalText(sql: string): string;
  /**
   * Converts a value of another kind to this one.
   * @throws RangeError if no exact conversion exists.
   */
  widened(sql: string, from: ColumnType, physical: PhysicalType): string;
  /** Equal for equal values only; for grouping, counting and matching. */
  key(sql: string): string;
  /** Undefined: not a date. */
  readonly dates: DateStorage | undefined;
  /** Undefined: not a number. */
  readonly numbers: NumberForm | undefined;
  /** As a number that can be averaged and sorted; undefined: not possible. */
  readonly measure: ((sql: string) => string) | undefined;
  /** Days since 1970-01-01; undefined: not a date. */
  readonly days: ((sql: string) => string) | undefined;
  /** JSON of a value that is not null. */
  json(sql: string, quoteNumbers: boolean): string;
  /** In CSV and TSV: quoted with doubled quotes, quoted unchanged, or never quoted. */
  readonly delimited: 'escaped' | 'quoted' | 'bare';
  /** Type of the cell in a sheet. */
  readonly sheet: 'text' | 'day' | 'dayText' | 'number' | 'exactNumber';
  /** How values are parsed from a file and encoded for ClickHouse. */
  readonly encoder: 'days' | 'dayTexts' | 'doubles' | 'decimals' | 'texts';
}

/** For kinds that no other kind can be converted to exactly. */
export const noWay = (_sql: string, from: ColumnType, physical: PhysicalType): never => {
  throw new RangeError(`no exact way from ${from.letter} to ${physical}`);
};

export const asItIs = (sql: string): string => sql;

export const quotedText = (sql: string): string => `concat('"', toString(${sql}), '"')`;

export const numberJson = (sql: string, quoteNumbers: boolean): string =>
  quoteNumbers ? quotedText(sql) : `toString(${sql})`;
