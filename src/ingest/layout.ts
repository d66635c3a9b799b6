import { type DataType, dataTypeOf, type PhysicalType, type StoredColumn } from '../model/column.js';
import type { TableColumn } from '../storage/clickhouse/store-table.js';
import type { Dialect, EncodeColumn } from './csv/types.js';

/** Where one field of a record goes. */
export interface LayoutColumn {
  readonly id: number;
  readonly storageId: number;
  readonly name: string;
  readonly description: string | null;
  /** Set by a manifest or an earlier version; null: decided by the type. */
  readonly isEntity: boolean | null;
  /** `u` while nothing but empty fields and null markers was seen. */
  readonly physical: PhysicalType | 'u';
  /** Position of the field in the record, from 0. */
  readonly field: number;
}

/** How the file of one upload is read and stored; kept with the process, so that every worker does the same. */
export interface Layout {
  readonly dialect: Dialect;
  readonly fieldCount: number;
  readonly columns: readonly LayoutColumn[];
}

/** A column of which nothing but markers and empty fields is known keeps them as text. */
const settled = (physical: PhysicalType | 'u'): PhysicalType => (physical === 'u' ? 's' : physical);

const tableColumn = (column: LayoutColumn): TableColumn => {
  const physical = settled(column.physical);
  return { name: `c${column.storageId}_${physical}`, physical };
};

export const tableColumns = (layout: Layout): TableColumn[] => layout.columns.map(tableColumn);

export const encodeColumns = (layout: Layout): EncodeColumn[] =>
  layout.columns.map((column) => ({
    storageName: tableColumn(column).name,
    physical: column.physical,
    sourceIndex: column.field,
  }));

/** Date and String columns are dimensions, Decimal columns are values. */
const entityByType = (dataType: DataType): boolean => dataType !== 'Decimal';

/** The columns of the version that an upload with this layout publishes. */
export const storedColumns = (layout: Layout): StoredColumn[] =>
  layout.columns.map((column) => {
    const physical = settled(column.physical);
    const dataType = dataTypeOf(physical);
    return {
      id: column.id,
      storageId: column.storageId,
      name: column.name,
      description: column.description,
      dataType,
      physical,
      isEntity: column.isEntity ?? entityByType(dataType),
    };
  });

/** The layout with other physical types, one per column. */
export const retyped = (layout: Layout, physicals: readonly (PhysicalType | 'u')[]): Layout => ({
  ...layout,
  columns: layout.columns.map((column, index) => ({
    ...column,
    physical: physicals[index] ?? column.physical,
  })),
});
