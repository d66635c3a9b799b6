import { AppError, notFound } from '../lib/errors.js';
import type { StoredColumn } from '../model/column.js';
import type { ReadableVersion, SegmentCut } from '../model/version.js';
import type { Sql } from '../storage/postgres/sql.js';
import { segmentListColumns } from '../storage/postgres/version-segments.js';

export interface VersionWanted {
  readonly datasetId: number;
  /** What the dataset points to; null before its first upload. */
  readonly currentVersionId: number | null;
  /** A version that was asked for by name; without it the current one is read. */
  readonly versionId?: number | undefined;
  /** True: a version that is asked for by id carries the present names as well. @default false */
  readonly presentNames?: boolean;
}

/** Finds the version a download reads. */
export interface Versions {
  /**
   * The current version carries the present names of its columns; one that is asked for by id carries the
   * names it was published with.
   * @throws AppError `not_found`: no such version of this dataset, or nothing uploaded yet (`no_data`).
   */
  find(wanted: VersionWanted): Promise<ReadableVersion>;
  /** What memory holds of the current version of a dataset whose columns have this revision. */
  remembered(datasetId: number, versionId: number, columnsRevision: number): VersionFacts | undefined;
}

/** A version without its list of segments, which may change under it. */
export type VersionFacts = Omit<ReadableVersion, 'segmentIds' | 'cuts'>;

interface VersionRow {
  id: number;
  store_id: number;
  columns: StoredColumn[];
  row_count: number;
  byte_size: number;
  created_at: Date;
}

/** What may change under a version: compaction joins its segments, columns are renamed or change their role. */
interface LiveFacts {
  readonly segmentIds: number[];
  readonly cuts: SegmentCut[];
  readonly columns_revision: number;
}

const liveSql = `
  SELECT d.columns_revision, ${segmentListColumns('v.id')}
    FROM versions v JOIN datasets d ON d.id = v.dataset_id
   WHERE v.id = $1 AND v.dataset_id = $2`;

const versionSql = `
  SELECT v.id, d.store_id, v.columns, v.row_count, v.byte_size, v.created_at
    FROM versions v JOIN datasets d ON d.id = v.dataset_id
   WHERE v.id = $1 AND v.dataset_id = $2`;

const columnsSql = 'SELECT id, name, is_entity FROM columns WHERE dataset_id = $1 AND id = ANY($2::bigint[])';

/** Most columns of all versions that are kept in memory together: some 40 MB. */
const cachedColumns = 200_000;

const keyOf = (datasetId: number, versionId: number, revision: number | 'stored'): string =>
  `${datasetId}/${versionId}/${revision}`;

export const createVersions = (sql: Sql): Versions => {
  /** Least recently used first. */
  const cache = new Map<string, VersionFacts>();
  let columnsInCache = 0;

  const forget = (key: string): void => {
    columnsInCache -= cache.get(key)?.columns.length ?? 0;
    cache.delete(key);
  };

  const remember = (key: string, version: VersionFacts): void => {
    forget(key);
    cache.set(key, version);
    columnsInCache += version.columns.length;
    for (const oldest of cache.keys()) {
      if (columnsInCache <= cachedColumns || oldest === key) break;
      forget(oldest);
    }
  };

  const load = async (
    datasetId: number,
    versionId: number,
    present: boolean,
  ): Promise<VersionFacts | undefined> => {
    const [row] = await sql.query<VersionRow>(versionSql, [versionId, datasetId]);
    if (row === undefined) return undefined;
    return {
      versionId: row.id,
      datasetId,
      storeId: row.store_id,
      columns: present ? await presentColumns(datasetId, row.columns) : row.columns,
      rowCount: row.row_count,
      byteSize: row.byte_size,
      createdAt: row.created_at.toISOString(),
    };
  };

  /** Columns under the names and roles that they have now. */
  const presentColumns = async (datasetId: number, columns: StoredColumn[]): Promise<StoredColumn[]> => {
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

  const find = async (datasetId: number, versionId: number, present: boolean) => {
    const [live] = await sql.query<LiveFacts>(liveSql, [versionId, datasetId]);
    if (live === undefined) return undefined;
    const key = keyOf(datasetId, versionId, present ? live.columns_revision : 'stored');
    const version = cache.get(key) ?? (await load(datasetId, versionId, present));
    if (version === undefined) return undefined;
    remember(key, version);
    const { segmentIds, cuts } = live;
    return { ...version, segmentIds, ...(cuts.length === 0 ? {} : { cuts }) };
  };

  return {
    remembered: (datasetId, versionId, revision) => cache.get(keyOf(datasetId, versionId, revision)),
    async find({ datasetId, currentVersionId, versionId, presentNames = false }) {
      if (versionId !== undefined) {
        const version = await find(datasetId, versionId, presentNames);
        if (version !== undefined) return version;
        throw notFound('unknown_version', `The dataset has no version ${versionId}.`);
      }
      if (currentVersionId === null) {
        throw notFound('no_data', 'The dataset has no data yet: nothing was uploaded to it.');
      }
      const version = await find(datasetId, currentVersionId, true);
      if (version !== undefined) return version;
      throw new AppError('unavailable', 'version_gone', 'The version was replaced meanwhile; ask again.', {
        retryAfterSeconds: 1,
      });
    },
  };
};
