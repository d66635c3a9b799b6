import type { ColumnRules, Dialect, EncodeColumn } from '../../csv/types.js';
import {
  type DataType,
  type DateForm,
  type NamedColumn,
  type PhysicalType,
  type StoredColumn,
  storageName,
} from '../../model/column.js';
import { columnTypeOf, dataTypeOf } from '../../model/column-types/column-types.js';
import type { Place } from '../../model/version.js';
import { storedAs } from '../../rows/index.js';
import type { StoredOptions } from '../options/stored-options.js';

/** How one field of a record is stored. */
export interface LayoutColumn {
  readonly id: number;
  readonly storageId: number;
  readonly name: string;
  readonly description: string | null;
  /** Set by a manifest or by a user; null: as in the current version, or decided by the type. */
  readonly isEntity: boolean | null;
  /** `u`: only empty fields and null markers so far. */
  readonly physical: PhysicalType | 'u';
  /** Position of the field in the record, from 0. */
  readonly field: number;
  /** Type that a manifest requires. */
  readonly dataType?: DataType;
  /** Physical type in the current version; not in mode replace. */
  readonly existing?: PhysicalType;
  /** Rules of this column, which take precedence over those of the file. */
  readonly rules?: ColumnRules;
  /** Mode replace: type in the current version, which the column keeps if all values fit. */
  readonly keeps?: DataType;
  /** `rules` are the date form of an earlier manifest; the file may use the built-in forms instead. */
  readonly remembered?: true;
  /** Forms of dates to remember. */
  readonly dateForm?: DateForm;
  /** A column of years, according to its values so far or to the current version. */
  readonly years?: true;
  /** The type is final: a value that does not fit makes its record bad. */
  readonly fixed?: boolean;
}

/** Changes to names, roles and descriptions that take effect when the upload is published. */
export interface ColumnChange {
  readonly id: number;
  readonly name?: string;
  readonly isEntity?: boolean;
  readonly description?: string | null;
}

/** How the file of an upload is read and stored. Saved with the process, so that every worker does the same. */
export interface Layout extends StoredOptions {
  readonly dialect: Dialect;
  readonly fieldCount: number;
  readonly columns: readonly LayoutColumn[];
  /** Ids of the key columns; only in modes with a key. */
  readonly keyIds?: readonly number[];
  /** The caller named the key, so it does not change when other columns become entities. */
  readonly keyGiven?: true;
  readonly changes?: readonly ColumnChange[];
  /** Mode merge_columns, which has no file. */
  readonly columnMerge?: ColumnMergeIds;
}

/** Ids of two columns to be merged. */
export interface ColumnMergeIds {
  /** Column that keeps its name and role. */
  readonly into: number;
  /** Column that is merged into the other and removed. */
  readonly from: number;
  /** True: incompatible types become text. False: they are refused. */
  readonly widen: boolean;
}

/** A column with only markers and empty fields is stored as text. */
const settled = (physical: PhysicalType | 'u'): PhysicalType => (physical === 'u' ? 's' : physical);

const tableColumn = (column: LayoutColumn): NamedColumn => {
  const physical = settled(column.physical);
  return { name: storageName({ storageId: column.storageId, physical }), physical };
};

export const tableColumns = (layout: Layout): NamedColumn[] => layout.columns.map(tableColumn);

/** Rules of the file merged with those of the column, for readers of values. */
export const rulesOf = (layout: Layout, column: LayoutColumn): ColumnRules => ({
  ...layout.rules,
  ...column.rules,
});

export const encodeColumns = (layout: Layout, place: Place): EncodeColumn[] =>
  layout.columns.map((column) => {
    const { name, type } = storedAs(tableColumn(column), place);
    return {
      storageName: name,
      storageType: type,
      physical: column.physical,
      sourceIndex: column.field,
      fixed: column.fixed ?? false,
      years: column.years === true && column.existing === undefined,
      rules: rulesOf(layout, column),
    };
  });

/** True for a column without values in the file and in the current version. */
const isUndecided = ({ physical, existing }: LayoutColumn): boolean =>
  physical === 'u' && existing === undefined;

/** True if the column is set to be an entity, or if its type is one by default. Years are, since they are a time axis. */
export const isEntityColumn = (column: LayoutColumn): boolean =>
  column.isEntity ??
  (column.years === true || (!isUndecided(column) && columnTypeOf(settled(column.physical)).isEntity));

const storedColumn = (column: LayoutColumn): StoredColumn => {
  const physical = settled(column.physical);
  const dataType = dataTypeOf(physical);
  return {
    id: column.id,
    storageId: column.storageId,
    name: column.name,
    description: column.description,
    dataType,
    physical,
    isEntity: isEntityColumn(column),
    ...(dataType === 'Date' && column.dateForm !== undefined ? { dateForm: column.dateForm } : {}),
    ...(isUndecided(column) ? { untyped: true } : {}),
    ...(dataType === 'Decimal' && column.years === true ? { years: true } : {}),
  };
};

/** The columns of the file as a version stores them. */
export const storedColumns = (layout: Layout): StoredColumn[] => layout.columns.map(storedColumn);

/**
 * Columns of a version that adds this file to another version: the old columns in their order, then the new ones. Old columns keep
 * their role, since that version may be newer than the layout. A column without values so far takes the role of its first values.
 */
export const joinedColumns = (base: readonly StoredColumn[], layout: Layout): StoredColumn[] => {
  const given = new Map(layout.columns.map(({ id, isEntity }) => [id, isEntity]));
  const added = new Map(storedColumns(layout).map((column) => [column.id, column]));
  const kept = base.map((column) => {
    const own = added.get(column.id) ?? column;
    const decides = column.untyped === true && own.untyped !== true;
    return { ...own, isEntity: given.get(column.id) ?? (decides ? own : column).isEntity };
  });
  const old = new Set(base.map(({ id }) => id));
  return [...kept, ...[...added.values()].filter(({ id }) => !old.has(id))];
};

/** The layout with other columns settled. */
export const withColumns = (layout: Layout, columns: readonly LayoutColumn[]): Layout => ({
  ...layout,
  columns,
});
