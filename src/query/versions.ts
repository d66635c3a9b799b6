import { createCache } from '../lib/cache.js';
import { type AppError, notFound, unavailable } from '../lib/errors.js';
import type { Instant } from '../lib/instant.js';
import type { StoredColumn } from '../model/column.js';
import type { Place, ReadableVersion, ReadCopy } from '../model/version.js';
import { type SegmentListRow, segmentListOf } from '../rows/index.js';
import { readCopyColumn, segmentListColumns, versionPlaceColumn } from '../rows/sql.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import { versionAt } from '../storage/postgres/version-at.js';

interface VersionWanted {
  readonly datasetId: number;
  /** Current version of the dataset; null before its first upload. */
  readonly currentVersionId: number | null;
  /** Id of the requested version. @default the current one */
  readonly versionId?: number | undefined;
  /** Returns a version that is requested by id with the current column names. @default false */
  readonly presentNames?: boolean;
}

export const noData = (): AppError =>
  notFound('no_data', 'The dataset has no data yet: nothing was uploaded to it.');

/** Finds the version that a download reads. */
export interface Versions {
  /**
   * The current version has the current names of its columns; a version that is requested by id has the names that it
   * was published with.
   * @throws AppError `not_found` if the dataset has no such version, or no data yet (`no_data`)
   */
  find(wanted: VersionWanted): Promise<ReadableVersion>;
  /** Id of the version that was current at that time. @throws AppError 404 */
  at(datasetId: number, instant: Instant): Promise<number>;
  /**
   * The cached current version with this columns revision: the same object until it is read from PostgreSQL again. The
   * location of its rows may be stale: a read then fails with `version_gone`, and never misses rows.
   */
  remembered(datasetId: number, versionId: number, columnsRevision: number): ReadableVersion | undefined;
  /**
   * Removes a version from the cache.
   * @param isCopyBad a read of its copy failed, so the version is returned without this copy from now on
   */
  forget(version: Pick<ReadableVersion, 'datasetId' | 'versionId' | 'copy'>, isCopyBad?: boolean): void;
}

/** `list` is a column list, which several versions may share. */
interface VersionRow extends SegmentListRow {
  readonly id: number;
  readonly list: number;
  readonly columns_revision: number;
  readonly row_count: number;
  readonly byte_size: number;
  readonly created_at: Date;
  readonly content_id: number | null;
  readonly repairs: number;
  readonly place: Place | null;
  readonly copy: ReadCopy | null;
}

const versionSql = prepared(`
  SELECT v.id, v.column_list_id AS list, d.columns_revision, v.row_count, v.byte_size, v.created_at, v.content_id, v.repairs,
         ${segmentListColumns}, ${versionPlaceColumn}, ${readCopyColumn}
    FROM versions v JOIN datasets d ON d.id = v.dataset_id
   WHERE v.id = $1 AND v.dataset_id = $2`);

/** One row per column: parsing 10,000 long names as one JSON value would block the event loop. */
const listSql = `
  SELECT c.item, c.position FROM column_lists l
    LEFT JOIN LATERAL jsonb_array_elements(l.columns) WITH ORDINALITY AS c (item, position) ON true
   WHERE l.id = $1`;

interface ListedColumn {
  /** Null if the list is empty. */
  readonly item: StoredColumn | null;
  readonly position: number | null;
}

const columnsSql = 'SELECT id, name, is_entity FROM columns WHERE dataset_id = $1 AND id = ANY($2::bigint[])';

/** Approximate size of the cache of column lists. */
const cachedBytes = 40_000_000;

/** Size of the cache of versions, in segments and columns of some 100 bytes each. */
const cachedItems = 400_000;

/** Most copies that are avoided after an error. */
const maxBadCopies = 1_000;

const bytesOf = (columns: readonly StoredColumn[]): number =>
  columns.reduce(
    (sum, { name, description }) => sum + 200 + 2 * (name.length + (description?.length ?? 0)),
    0,
  );

/** Published names belong to the list; current names change with the revision of the dataset. */
const listKey = (list: number, revision: number | 'stored'): string => `${list}/${revision}`;

interface CachedVersion {
  readonly version: Omit<ReadableVersion, 'columns'>;
  readonly list: number;
  /** Revision of the dataset when it was read: a repair changes it as well. */
  readonly revision: number;
  /** Number of its segments and columns. */
  readonly items: number;
  /** The object that was last returned. */
  whole?: ReadableVersion;
}

const keyOf = ({ datasetId, versionId }: Pick<ReadableVersion, 'datasetId' | 'versionId'>): string =>
  `${datasetId}/${versionId}`;

/** A copy that is made again has another key: its table has another name. */
const copyKey = (copy: ReadCopy): string => JSON.stringify(copy);

export const createVersions = (sql: Sql): Versions => {
  const lists = createCache<readonly StoredColumn[]>({ limit: cachedBytes, weigh: bytesOf });
  const cache = createCache<CachedVersion>({
    limit: cachedItems,
    weigh: ({ items }) => items,
  });
  const badCopies = createCache<true>({ limit: maxBadCopies, weigh: () => 1 });

  /** Columns with their current names and roles. */
  const presentColumns = async (
    datasetId: number,
    columns: readonly StoredColumn[],
  ): Promise<readonly StoredColumn[]> => {
    const rows = await sql.query<{ id: number; name: string; is_entity: boolean | null }>(columnsSql, [
      datasetId,
      columns.map(({ id }) => id),
    ]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return columns.map((column) => {
      const now = byId.get(column.id);
      return now === undefined
        ? column
        : { ...column, name: now.name, isEntity: now.is_entity ?? column.isEntity };
    });
  };

  /** Undefined if the list was deleted in the meantime, with the last version that used it. */
  const columnsOf = async (
    datasetId: number,
    list: number,
    revision: number | 'stored',
  ): Promise<readonly StoredColumn[] | undefined> => {
    const key = listKey(list, revision);
    const cached = lists.get(key);
    if (cached !== undefined) return cached;
    const rows = await sql.query<ListedColumn>(listSql, [list]);
    if (rows.length === 0) return undefined;
    const stored: StoredColumn[] = [];
    for (const { item, position } of rows) if (item !== null) stored[Number(position) - 1] = item;
    const columns = revision === 'stored' ? stored : await presentColumns(datasetId, stored);
    lists.set(key, columns);
    return columns;
  };

  const find = async (
    datasetId: number,
    versionId: number,
    present: boolean,
  ): Promise<ReadableVersion | undefined> => {
    const [row] = await sql.query<VersionRow>(versionSql, [versionId, datasetId]);
    if (row === undefined) return undefined;
    const columns = await columnsOf(datasetId, row.list, present ? row.columns_revision : 'stored');
    if (columns === undefined) return undefined;
    const version = {
      versionId: row.id,
      datasetId,
      rowCount: row.row_count,
      byteSize: row.byte_size,
      createdAt: row.created_at.toISOString(),
      ...(row.content_id === null ? {} : { contentId: row.content_id }),
      ...(row.repairs === 0 ? {} : { repairs: row.repairs }),
      place: row.place,
      ...(row.copy === null || badCopies.get(copyKey(row.copy)) ? {} : { copy: row.copy }),
      ...segmentListOf(row),
    };
    cache.set(keyOf(version), {
      version,
      list: row.list,
      revision: row.columns_revision,
      items: 1 + row.segmentIds.length + columns.length,
    });
    return { ...version, columns };
  };

  return {
    at: (datasetId, instant) => versionAt(sql, datasetId, instant),
    remembered(datasetId, versionId, revision) {
      const found = cache.get(keyOf({ datasetId, versionId }));
      const columns = found?.revision === revision ? lists.get(listKey(found.list, revision)) : undefined;
      if (found === undefined || columns === undefined) return undefined;
      if (found.whole?.columns !== columns) found.whole = { ...found.version, columns };
      return found.whole;
    },
    forget(version, isCopyBad = false) {
      if (isCopyBad && version.copy !== undefined) badCopies.set(copyKey(version.copy), true);
      cache.delete(keyOf(version));
    },
    async find({ datasetId, currentVersionId, versionId, presentNames = false }) {
      if (versionId !== undefined) {
        const version = await find(datasetId, versionId, presentNames);
        if (version !== undefined) return version;
        throw notFound('unknown_version', `The dataset has no version ${versionId}.`);
      }
      if (currentVersionId === null) {
        throw noData();
      }
      const version = await find(datasetId, currentVersionId, true);
      if (version !== undefined) return version;
      throw unavailable('version_gone', 'The version was replaced in the meantime; try again.', {
        retryAfterSeconds: 1,
      });
    },
  };
};
