/**
 * Columns: what users see (`Date`, `String`, `Decimal`) and how a value is kept.
 *
 * A physical type is chosen so that no value is altered (docs/adr/0010-one-physical-type-per-version.md):
 *
 * | code        | ClickHouse              | holds |
 * |-------------|-------------------------|-------|
 * | `d`         | Nullable(Date32)        | dates from 1900-01-01 to 2299-12-31 |
 * | `t`         | Nullable(String)        | dates outside of it, as `YYYY-MM-DD` text, which sorts as dates do |
 * | `f`         | Nullable(Float64)       | numbers whose text is recovered from the double, digit for digit |
 * | `n38_<s>`   | Nullable(Decimal(38,s)) | other numbers, `s` digits after the point, up to 38 in all |
 * | `n76_<s>`   | Nullable(Decimal(76,s)) | the same with up to 76 digits |
 * | `s`         | Nullable(String)        | text; also numbers beyond 76 digits |
 *
 * `column-types/` has everything else about each. The codes are part of column names in ClickHouse and of
 * records in PostgreSQL: never change their meaning.
 */
export type DataType = 'Date' | 'String' | 'Decimal';

export type PhysicalType = 'd' | 't' | 'f' | 's' | `n38_${number}` | `n76_${number}`;

/** A column as the API shows it. */
export interface Column {
  /** Unique over the whole service; survives renames and new versions. */
  readonly id: number;
  readonly name: string;
  readonly dataType: DataType;
  /** True for a dimension (date, country), false for a value. */
  readonly isEntity: boolean;
}

/** How dates of a column are written, as a manifest said; the built-in forms otherwise. */
export interface DateForm {
  /** In strptime letters (`%d/%m/%Y`). */
  readonly dateFormat?: string;
  /** A four-digit number is a year. */
  readonly bareYear?: boolean;
}

/** A column of a version, with the place of its values. */
export interface StoredColumn extends Column {
  readonly description: string | null;
  readonly physical: PhysicalType;
  /** Id that names the column in the store; differs from `id` in a clone only. */
  readonly storageId: number;
  /** Files to come are read in this form too. */
  readonly dateForm?: DateForm;
  /**
   * True: it has no value yet that tells a type. The first one decides type and role; until then it is shown as a String
   * that is no entity, and is no part of the key.
   */
  readonly untyped?: boolean;
  /**
   * A Decimal column that got nothing but years (model/years.ts) with its first values. It stays one: later values that are
   * no years are stored and belong to no period.
   */
  readonly years?: true;
}

/** Name of the column in its ClickHouse table: `c<storageId>_<physical>`; safe as an SQL identifier. */
export const storageName = (column: Pick<StoredColumn, 'storageId' | 'physical'>): string =>
  `c${column.storageId}_${column.physical}`;

export interface NamedColumn {
  /** As `storageName` gives it. */
  readonly name: string;
  readonly physical: PhysicalType;
}

/** The column of a stored name: `c12_n38_4` -> `n38_4`. */
export const namedColumnOf = (name: string): NamedColumn => {
  const physical = /^c\d+_(.+)$/.exec(name)?.[1];
  if (physical === undefined) throw new RangeError(`${name} is not the name of a stored column`);
  return { name, physical: physical as PhysicalType };
};

/** Longest name of a column in bytes of UTF-8: it is part of an index of PostgreSQL, which takes some 2,700. */
export const maxColumnNameBytes = 2_000;

/** Most columns that one dataset may have. */
export const maxColumns = 10_000;
