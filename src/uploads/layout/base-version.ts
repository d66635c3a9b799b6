import type { StoredColumn } from '../../model/column.js';
import type { Place } from '../../model/version.js';
import type { SegmentListRow } from '../../rows/index.js';
import { segmentListColumns, versionPlaceColumn } from '../../rows/sql.js';
import { versionColumns } from '../../storage/postgres/column-lists.js';
import { type RegisteredColumn, readRegistry, registryColumn } from '../../storage/postgres/columns.js';
import { prepared, type Sql } from '../../storage/postgres/sql.js';
import { uniqueByColumn } from '../../storage/postgres/version-keys.js';

/** The current version of a dataset, which an upload changes or is compared with. */
export interface BaseVersion extends SegmentListRow {
  readonly versionId: number;
  /** Repairs of its rows so far. */
  readonly repairs: number;
  /** With their current names and roles. */
  readonly columns: readonly StoredColumn[];
  readonly rowCount: number;
  readonly byteSize: number;
  /** Null without segments. */
  readonly place: Place | null;
  /** Storage ids of columns by which its rows are unique; null: not known. */
  readonly uniqueBy: readonly number[] | null;
}

const baseSql = prepared(`
  SELECT v.id AS "versionId", v.repairs, ${versionColumns} AS columns, v.row_count AS "rowCount", v.byte_size AS "byteSize",
    ${segmentListColumns}, ${versionPlaceColumn}, ${uniqueByColumn}
  FROM datasets d JOIN versions v ON v.id = d.current_version_id WHERE d.id = $1`);

/** The part of the current version that the columns of a file are matched with. */
export type BaseColumns = Pick<BaseVersion, 'columns' | 'rowCount'>;

/** Columns of a version with their current names and roles, which may have changed since it was published. */
const namedNow = (
  columns: readonly StoredColumn[],
  registry: readonly RegisteredColumn[],
): readonly StoredColumn[] => {
  const today = new Map(registry.map((column) => [column.id, column]));
  return columns.map((column) => {
    const now = today.get(column.id);
    return { ...column, name: now?.name ?? column.name, isEntity: now?.isEntity ?? column.isEntity };
  });
};

/** The current version of a dataset; undefined before its first upload. */
export const readBase = async (sql: Sql, datasetId: number): Promise<BaseVersion | undefined> => {
  const [row] = await sql.query<BaseVersion>(baseSql, [datasetId]);
  return row && { ...row, columns: namedNow(row.columns, await readRegistry(sql, datasetId)) };
};

/** All columns that a dataset has or had, and those of its current version. */
export interface KnownColumns {
  readonly registry: readonly RegisteredColumn[];
  /** Undefined before the first upload. */
  readonly base: BaseColumns | undefined;
}

const knownSql = prepared(`
  SELECT ${registryColumn} AS registry, ${versionColumns} AS columns, v.row_count AS "rowCount"
  FROM datasets d LEFT JOIN versions v ON v.id = d.current_version_id WHERE d.id = $1`);

/** Reads everything in one statement, so that it is consistent. */
export const readKnownColumns = async (sql: Sql, datasetId: number): Promise<KnownColumns> => {
  const [row] = await sql.query<{
    registry: readonly RegisteredColumn[];
    columns: readonly StoredColumn[] | null;
    rowCount: number | null;
  }>(knownSql, [datasetId]);
  if (row === undefined) return { registry: [], base: undefined };
  const { registry, columns, rowCount } = row;
  const base =
    columns === null ? undefined : { columns: namedNow(columns, registry), rowCount: rowCount ?? 0 };
  return { registry, base };
};
