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
  /** True: a version that is requested by id has the present column names as well. @default false */
  readonly presentNames?: boolean;
}

export const noData = (): AppError =>
  notFound('no_data', 'The dataset has no data yet: nothing was uploaded to it.');

/** Finds the version a download reads. */
export interface Versions {
  /**
   * The current version has the present names of its columns; one that is requested by id has the names it was
   * published with.
   * @throws AppError `not_found`: no such version of this dataset, or nothing uploaded yet (`no_data`).
   */
  find(wanted: VersionWanted): Promise<ReadableVersion>;
  /** Id of the version that was current then. @throws AppError 404. */
  at(datasetId: number, instant: Instant): Promise<number>;
  /**
   * The current version of a dataset whose columns have this revision, out of memory: the same object until it is read from
   * PostgreSQL again. Where its rows were may have changed: a read finds them all, or fails with `version_gone`.
   */
  remembered(datasetId: number, versionId: number, columnsRevision: number): ReadableVersion | undefined;
  /**
   * Forgets where the rows of a version were.
   * @param isCopyBad True: a read of its copy has failed, and the version is found without one from now on.
   */
  forget(version: Pick<ReadableVersion, 'datasetId' | 'versionId'>, isCopyBad?: boolean): void;
}

/** A version as it is in PostgreSQL now; its columns are a list that other versions may have as well. */
interface VersionRow extends SegmentListRow {
  readonly id: number;
  readonly list: number;
  readonly columns_revision: number;
  readonly row_count: number;
  readonly byte_size: number;
  readonly created_at: Date;
  readonly content_id: number | null;
  readonly place: Place | null;
  readonly copy: ReadCopy | null;
}

const versionSql = prepared(`
  SELECT v.id, v.column_list_id AS list, d.columns_revision, v.row_count, v.byte_size, v.created_at, v.content_id,
         ${segmentListColumns('v')}, ${versionPlaceColumn('v')}, ${readCopyColumn('v')}
    FROM versions v JOIN datasets d ON d.id = v.dataset_id
   WHERE v.id = $1 AND v.dataset_id = $2`);

/** A row for each column: 10,000 long names in one value would be parsed in one go, which keeps everybody else waiting. */
const listSql = `
  SELECT c.item, c.position FROM column_lists l
    LEFT JOIN LATERAL jsonb_array_elements(l.columns) WITH ORDINALITY AS c (item, position) ON true
   WHERE l.id = $1`;

interface ListedColumn {
  /** Null: the list is empty. */
  readonly item: StoredColumn | null;
  readonly position: number | null;
}

const columnsSql = 'SELECT id, name, is_entity FROM columns WHERE dataset_id = $1 AND id = ANY($2::bigint[])';

/** Bytes of all lists of columns that are kept in memory together, about. */
const cachedBytes = 40_000_000;

/** Segments of all versions that are cached, and columns whose places are cached with them: some 100 bytes each. */
const cachedItems = 400_000;

/** Versions whose copy is not read after an error; beyond it the oldest are read again. */
const mostAvoided = 1_000;

const bytesOf = (columns: readonly StoredColumn[]): number =>
  columns.reduce(
    (sum, { name, description }) => sum + 200 + 2 * (name.length + (description?.length ?? 0)),
    0,
  );

/** Published names belong to the list; present ones change with the revision of the dataset. */
const listKey = (list: number, revision: number | 'stored'): string => `${list}/${revision}`;

interface Remembered {
  readonly version: Omit<ReadableVersion, 'columns'>;
  readonly list: number;
  /** Number of its segments and columns. */
  readonly items: number;
  /** The version with the columns it was last returned with. */
  whole?: ReadableVersion;
}

const keyOf = ({ datasetId, versionId }: Pick<ReadableVersion, 'datasetId' | 'versionId'>): string =>
  `${datasetId}/${versionId}`;

export const createVersions = (sql: Sql): Versions => {
  const lists = createCache<readonly StoredColumn[]>({ limit: cachedBytes, weigh: bytesOf });
  const known = createCache<Remembered>({
    limit: cachedItems,
    weigh: ({ items }) => items,
  });
  const avoided = createCache<true>({ limit: mostAvoided, weigh: () => 1 });

  /** Columns under the names and roles that they have now. */
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

  /** Undefined when the list was dropped meanwhile, with the last version that had it. */
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
      place: row.place,
      ...(row.copy === null || avoided.get(keyOf({ datasetId, versionId })) ? {} : { copy: row.copy }),
      ...segmentListOf(row),
    };
    known.set(keyOf(version), { version, list: row.list, items: 1 + row.segmentIds.length + columns.length });
    return { ...version, columns };
  };

  return {
    at: (datasetId, instant) => versionAt(sql, datasetId, instant),
    remembered(datasetId, versionId, revision) {
      const found = known.get(keyOf({ datasetId, versionId }));
      const columns = found && lists.get(listKey(found.list, revision));
      if (found === undefined || columns === undefined) return undefined;
      if (found.whole?.columns !== columns) found.whole = { ...found.version, columns };
      return found.whole;
    },
    forget(version, isCopyBad = false) {
      if (isCopyBad) avoided.set(keyOf(version), true);
      known.delete(keyOf(version));
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
