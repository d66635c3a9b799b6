/**
 * The file of an append or upsert is encoded for the version that was current when it was accepted. If earlier uploads publish another
 * version first, its columns are bound again, and the file is encoded again if that changes how its values are stored.
 */
import { type StoredColumn, storageName } from '../../model/column.js';
import { dataTypeOf } from '../../model/column-types/column-types.js';
import { isKeyed, type UploadMode } from '../../model/process.js';
import { timeColumnOf } from '../../model/version.js';
import { readRegistry } from '../../storage/postgres/columns.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { BaseColumns, BaseVersion } from '../../uploads/layout/base-version.js';
import { entityIdsOf } from '../../uploads/layout/key-columns.js';
import { type Layout, type LayoutColumn, storedColumns, withColumns } from '../../uploads/layout/layout.js';

/** The layout with the types of the columns in the current version. */
export const boundTo = (layout: Layout, base: BaseColumns | undefined, mode: UploadMode): Layout => {
  const before = new Map((base?.columns ?? []).map((column) => [column.id, column]));
  const columns = layout.columns.map((column): LayoutColumn => {
    const { existing: _before, years, ...rest } = column;
    const known = before.get(column.id);
    if (known === undefined || known.untyped === true)
      return { ...rest, ...(years === undefined ? {} : { years }) };
    return {
      ...rest,
      existing: known.physical,
      ...(known.years === undefined ? {} : { years: known.years }),
    };
  });
  const bound = withColumns(layout, columns);
  return isKeyed(mode) && bound.keyGiven !== true ? { ...bound, keyIds: entityIdsOf(base, columns) } : bound;
};

const timeIdOf = (layout: Layout): number | undefined => timeColumnOf(storedColumns(layout))?.id;

/** True if the encoded file fits the bound layout and has the same time column, whose days are recorded. */
export const isBoundTo = (read: Layout, bound: Layout): boolean =>
  timeIdOf(read) === timeIdOf(bound) &&
  bound.columns.every((column, at) => {
    const before = read.columns[at];
    const physical = before?.physical === 'u' ? 's' : before?.physical;
    return column.existing === before?.existing || column.existing === physical;
  });

/** True if the joined columns include every column of a version, stored in the same way. */
export const isKeptIn = (joined: readonly StoredColumn[], before: readonly StoredColumn[]): boolean => {
  const names = new Map(joined.map((column) => [column.id, storageName(column)]));
  return before.every((column) => names.get(column.id) === storageName(column));
};

/** True if each side with rows has every key column: columns may have been added, removed or made entities since. */
export const hasKey = ({ keyIds = [], columns }: Layout, base: BaseVersion | undefined): boolean => {
  const read = new Set(columns.map(({ id }) => id));
  const before =
    base === undefined || base.rowCount === 0 ? undefined : new Set(base.columns.map(({ id }) => id));
  return keyIds.every((id) => read.has(id) && before?.has(id) !== false);
};

/** Names of columns whose type in the manifest conflicts with the previous version. */
export const conflictingNames = ({ columns, widen }: Layout): string[] =>
  columns
    .filter(
      ({ existing, dataType }) =>
        existing !== undefined &&
        dataType !== undefined &&
        dataTypeOf(existing) !== dataType &&
        !(widen === true && dataType === 'String'),
    )
    .map(({ name }) => name);

/**
 * True if a column of the file was deleted after its upload started: stored rows still have values under the storage id that the file uses,
 * and these must not reappear.
 */
export const isStale = async (
  sql: Sql,
  { datasetId, layout }: { readonly datasetId: number; readonly layout: Layout },
): Promise<boolean> => {
  const now = new Map((await readRegistry(sql, datasetId)).map(({ id, storageId }) => [id, storageId]));
  return layout.columns.some(({ id, storageId }) => now.get(id) !== storageId);
};
