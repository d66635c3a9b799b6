/**
 * All that the product needs to know of a kind of stored value. Each kind has a file with one record of this type, and
 * `column-types.ts` gathers them. What is stored, encoded, compared and written is decided here alone: outside of this
 * folder nothing looks at a code.
 */
import type { DataType, PhysicalType } from '../column.js';

/** Plain types: days, texts, doubles, the digits of decimals in 16 or 32 bytes. Part of names: never change. */
export type PlainKind = 'd' | 's' | 'f' | 'i' | 'h';

/** First letter of a code. Part of names: never change. */
export type CodeLetter = PhysicalType extends `${infer First}${string}` ? First : never;

/** How a value is compared; values of one class can be compared across kinds. */
export type ComparisonClass = 'date' | 'number' | 'text';

/** How dates are stored that are compared and taken apart: days of ClickHouse, or texts that sort as dates do. */
export type DateStorage = 'days' | 'texts';

/** How numbers are stored that are compared and calculated with: doubles that stand for their shortest decimal text, or decimals. */
export type NumberForm = 'doubles' | 'decimals';

export interface ColumnType<L extends CodeLetter = CodeLetter> {
  readonly letter: L;
  /** Type that users see. */
  readonly dataType: DataType;
  readonly compares: ComparisonClass;
  /** True where a column is an entity unless it is said to be none. */
  readonly isEntity: boolean;
  /** Type in ClickHouse, where every column is a Nullable of it. */
  storage(physical: PhysicalType): string;
  /** The plain type of a column that can keep these values and those of other types. */
  readonly plain: {
    kind(physical: PhysicalType): PlainKind;
    /** True where it keeps the value's bytes under another type. */
    readonly reinterpreted: boolean;
  };
  /** Expression of a value as text, digit for digit. */
  text(sql: string): string;
  /** Text that equal values of a data type share, in every storage type. */
  canonicalText(sql: string): string;
  /**
   * A value of another kind in this one.
   * @throws RangeError where no exact way leads from one to the other.
   */
  widened(sql: string, from: ColumnType, physical: PhysicalType): string;
  /** Equal for equal values and for no others: for grouping, counting and matching. */
  key(sql: string): string;
  /** Undefined for what is no date. */
  readonly dates: DateStorage | undefined;
  /** Undefined for what is no number. */
  readonly numbers: NumberForm | undefined;
  /** As a number that can be averaged and sorted; undefined: it has none. */
  readonly measure: ((sql: string) => string) | undefined;
  /** Days since 1970-01-01; undefined for what is no date. */
  readonly days: ((sql: string) => string) | undefined;
  /** JSON of a value that is not null. */
  json(sql: string, quoteNumbers: boolean): string;
  /** In CSV and TSV: quoted with its own quotes doubled, quoted as it is, or never quoted. */
  readonly delimited: 'escaped' | 'quoted' | 'bare';
  /** Cell of a sheet. */
  readonly sheet: 'text' | 'day' | 'dayText' | 'number' | 'exactNumber';
  /** How values are read from a file and laid out for ClickHouse. */
  readonly encoder: 'days' | 'dayTexts' | 'doubles' | 'decimals' | 'texts';
}

/** For kinds that nothing else becomes without being altered. */
export const noWay = (_sql: string, from: ColumnType, physical: PhysicalType): never => {
  throw new RangeError(`no exact way from ${from.letter} to ${physical}`);
};

export const asItIs = (sql: string): string => sql;

export const quotedText = (sql: string): string => `concat('"', toString(${sql}), '"')`;

export const numberJson = (sql: string, quoteNumbers: boolean): string =>
  quoteNumbers ? quotedText(sql) : `toString(${sql})`;
