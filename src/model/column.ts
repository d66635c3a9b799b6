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

/** A column in the API. */
export interface Column {
  /** Unique in the installation; does not change with renames and new versions. */
  readonly id: number;
  readonly name: string;
  readonly dataType: DataType;
  /** True for a dimension (date, country), false for a value. */
  readonly isEntity: boolean;
}

/** Format of dates in a column according to a manifest; by default the built-in forms. */
export interface DateForm {
  /** In strptime letters (`%d/%m/%Y`). */
  readonly dateFormat?: string;
  /** True: a four-digit number is a year. */
  readonly bareYear?: boolean;
}

/** A column of a version, with the storage of its values. */
export interface StoredColumn extends Column {
  readonly description: string | null;
  readonly physical: PhysicalType;
  /** Id in the name of the stored column; differs from `id` only in a clone. */
  readonly storageId: number;
  /** Later files are read with this form too. */
  readonly dateForm?: DateForm;
  /**
   * True: it has no value yet that determines a type. The first one determines type and role; until then it is shown as a String, is not an
   * entity and is not part of the key.
   */
  readonly untyped?: boolean;
  /**
   * A Decimal column whose first values were only years (model/years.ts). It remains one: later values that are not years are stored and
   * belong to no period.
   */
  readonly years?: true;
}

/** Name of the column in its ClickHouse table: `c<storageId>_<physical>`; safe as an SQL identifier. */
export const storageName = (column: Pick<StoredColumn, 'storageId' | 'physical'>): string =>
  `c${column.storageId}_${column.physical}`;

export interface NamedColumn {
  /** Name from `storageName`. */
  readonly name: string;
  readonly physical: PhysicalType;
}

/** The column of a stored name: `c12_n38_4` -> `n38_4`. */
export const namedColumnOf = (name: string): NamedColumn => {
  const physical = /^c\d+_(.+)$/.exec(name)?.[1];
  if (physical === undefined) throw new RangeError(`${name} is not the name of a stored column`);
  return { name, physical: physical as PhysicalType };
};

/** Maximum bytes of a column name in UTF-8: it is in an index of PostgreSQL, which allows about 2,700. */
export const maxColumnNameBytes = 2_000;

/** Maximum columns of a dataset. */
export const maxColumns = 10_000;
