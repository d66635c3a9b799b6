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

/** Target of one field of a record. */
export interface LayoutColumn {
  readonly id: number;
  readonly storageId: number;
  readonly name: string;
  readonly description: string | null;
  /** Set by a manifest or by hand; null: as in the version before, or decided by the type. */
  readonly isEntity: boolean | null;
  /** `u` while nothing but empty fields and null markers was seen. */
  readonly physical: PhysicalType | 'u';
  /** Position of the field in the record, from 0. */
  readonly field: number;
  /** Type that a manifest requires. */
  readonly dataType?: DataType;
  /** How the version before keeps the column; append and upsert only. */
  readonly existing?: PhysicalType;
  /** Rules of its own, in addition to those of the file. */
  readonly rules?: ColumnRules;
  /** Mode replace: the type in the version before, which stays where all values fit. */
  readonly keeps?: DataType;
  /** `rules` are what an earlier manifest said of dates: values in the built-in forms are dates as well. */
  readonly remembered?: true;
  /** Forms of dates to remember. */
  readonly dateForm?: DateForm;
  /** A column of years: by its values so far, or as in the version before where it has a type already. */
  readonly years?: true;
  /** The type is settled for good: a value that does not fit makes its record a bad one. */
  readonly fixed?: boolean;
}

/** Changes of a completed upload to columns, apart from their values. */
export interface ColumnChange {
  readonly id: number;
  readonly name?: string;
  readonly isEntity?: boolean;
  readonly description?: string | null;
}

/** How the file of one upload is read and stored; kept with the process, so that every worker does the same. */
export interface Layout extends StoredOptions {
  readonly dialect: Dialect;
  readonly fieldCount: number;
  readonly columns: readonly LayoutColumn[];
  /** Ids of the columns that tell rows apart; modes with a key only. */
  readonly keyIds?: readonly number[];
  /** The key was named: it stays when other columns become entities. */
  readonly keyGiven?: true;
  readonly changes?: readonly ColumnChange[];
  /** Mode merge_columns: there is no file. */
  readonly columnMerge?: ColumnMergeIds;
}

/** Two columns that become one, by their ids. */
export interface ColumnMergeIds {
  /** Stays, with its name and role. */
  readonly into: number;
  /** Is merged into the other and removed. */
  readonly from: number;
  /** Types that only text holds together become text; otherwise that is refused. */
  readonly widen: boolean;
}

/** A column of which nothing but markers and empty fields is known keeps them as text. */
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

/** True for a column without values, in the file and in the version before. */
const isUndecided = ({ physical, existing }: LayoutColumn): boolean =>
  physical === 'u' && existing === undefined;

/** Given, or as the type has it; years are a time axis. */
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

/** The columns of the file as a version keeps them. */
export const storedColumns = (layout: Layout): StoredColumn[] => layout.columns.map(storedColumn);

/**
 * The columns of a version that adds this file to another one: the old ones in their order, then new ones. Old ones
 * keep their role: that version may have come after the layout was made. One without values takes the role that its first
 * values have.
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
