import { AppError, notFound } from '../lib/errors.js';
import type { StoredColumn } from '../model/column.js';
import type { ReadableVersion } from '../model/version.js';
import type { Sql } from '../storage/postgres/sql.js';

export interface VersionWanted {
  readonly datasetId: number;
  /** What the dataset points to; null before its first upload. */
  readonly currentVersionId: number | null;
  /** A version that was asked for by name; without it the current one is read. */
  readonly versionId?: number | undefined;
}

/** Finds the version a download reads. */
export interface Versions {
  /**
   * The current version carries the present names of its columns; one that is asked for by id carries the
   * names it was published with.
   * @throws AppError `not_found`: no such version of this dataset, or nothing uploaded yet (`no_data`).
   */
  find(wanted: VersionWanted): Promise<ReadableVersion>;
}

interface VersionRow {
  id: number;
  store_id: number;
  columns: StoredColumn[];
  row_count: number;
  byte_size: number;
  created_at: Date;
  segments: number[];
}

/** Most columns of all versions that are kept in memory together: some 40 MB. */
const cachedColumns = 200_000;

export const createVersions = (sql: Sql): Versions => {
  /** Least recently used first. */
  const cache = new Map<string, ReadableVersion>();
  let columnsInCache = 0;

  const forget = (key: string): void => {
    columnsInCache -= cache.get(key)?.columns.length ?? 0;
    cache.delete(key);
  };

  const remember = (key: string, version: ReadableVersion): ReadableVersion => {
    forget(key);
    cache.set(key, version);
    columnsInCache += version.columns.length;
    for (const oldest of cache.keys()) {
      if (columnsInCache <= cachedColumns || oldest === key) break;
      forget(oldest);
    }
    return version;
  };

  const load = async (datasetId: number, versionId: number): Promise<ReadableVersion | undefined> => {
    const [row] = await sql.query<VersionRow>(
      `SELECT v.id, d.store_id, v.columns, v.row_count, v.byte_size, v.created_at,
              (SELECT coalesce(json_agg(s.segment_id ORDER BY s.segment_id), '[]')
                 FROM version_segments s WHERE s.version_id = v.id) AS segments
         FROM versions v JOIN datasets d ON d.id = v.dataset_id
        WHERE v.id = $1 AND v.dataset_id = $2`,
      [versionId, datasetId],
    );
    if (row === undefined) return undefined;
    return {
      versionId: row.id,
      datasetId,
      storeId: row.store_id,
      segmentIds: row.segments,
      columns: row.columns,
      rowCount: row.row_count,
      byteSize: row.byte_size,
      createdAt: row.created_at.toISOString(),
    };
  };

  const stored = async (datasetId: number, versionId: number): Promise<ReadableVersion | undefined> => {
    const key = `${datasetId}/${versionId}`;
    const known = cache.get(key);
    if (known !== undefined) {
      // Compaction may put other segments under a version, and dropping removes it: both are asked each time.
      const [row] = await sql.query<{ segments: number[] }>(
        `SELECT (SELECT coalesce(json_agg(s.segment_id ORDER BY s.segment_id), '[]')
                   FROM version_segments s WHERE s.version_id = v.id) AS segments
           FROM versions v WHERE v.id = $1 AND v.dataset_id = $2`,
        [versionId, datasetId],
      );
      if (row !== undefined) return remember(key, { ...known, segmentIds: row.segments });
      forget(key);
      return undefined;
    }
    const version = await load(datasetId, versionId);
    return version === undefined ? undefined : remember(key, version);
  };

  /** Names differ from the stored ones only after a rename: the database compares, few rows travel. */
  const renamed = async (version: ReadableVersion): Promise<ReadableVersion> => {
    const rows = await sql.query<{ id: number; name: string }>(
      `SELECT c.id, c.name
         FROM columns c
         JOIN unnest($2::bigint[], $3::text[]) AS v(id, name) ON v.id = c.id
        WHERE c.dataset_id = $1 AND c.name <> v.name`,
      [version.datasetId, version.columns.map(({ id }) => id), version.columns.map(({ name }) => name)],
    );
    if (rows.length === 0) return version;
    const names = new Map(rows.map(({ id, name }) => [id, name]));
    return {
      ...version,
      columns: version.columns.map((column) => ({ ...column, name: names.get(column.id) ?? column.name })),
    };
  };

  return {
    async find({ datasetId, currentVersionId, versionId }) {
      if (versionId !== undefined) {
        const version = await stored(datasetId, versionId);
        if (version !== undefined) return version;
        throw notFound('unknown_version', `The dataset has no version ${versionId}.`);
      }
      if (currentVersionId === null) {
        throw notFound('no_data', 'The dataset has no data yet: nothing was uploaded to it.');
      }
      const version = await stored(datasetId, currentVersionId);
      if (version !== undefined) return renamed(version);
      throw new AppError('unavailable', 'version_gone', 'The version was replaced meanwhile; ask again.', {
        retryAfterSeconds: 1,
      });
    },
  };
};
