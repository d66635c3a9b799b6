/**
 * Checks in the background whether the entity columns of a current version are unique, so that the first upsert by them need not check.
 * Appends often follow each other and a check reads the key of every row, so a new version waits for the next call. A version made by an
 * upsert, sync or delete is checked at once: later changes by the same key keep the result, and in a constantly changing dataset no version
 * would ever be old enough. It is not checked if an earlier check of the dataset found duplicates.
 */
import { isAppError } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { type Keys, segmentListOf } from '../../rows/index.js';
import { isClickHouseException } from '../../storage/clickhouse/errors.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { keepKeysSql } from '../../storage/postgres/version-keys.js';
import { readBase } from '../../uploads/layout/base-version.js';

interface KeyCheckOptions {
  readonly sql: Sql;
  /** Runs statements with low priority. */
  readonly keys: Pick<Keys, 'repeated'>;
  readonly log: Log;
}

export interface KeyCheck {
  /**
   * Records whether the entity columns of current versions are unique, for versions that existed at the previous call or were made by an
   * upsert, sync or delete. Returns their number.
   */
  check(stop: AbortSignal): Promise<number>;
}

/** Minimum rows worth checking: for fewer, the check in the upsert itself takes about 20 ms. */
const minRows = 100_000;

const nextSql = `
  SELECT v.id, v.dataset_id AS "datasetId" FROM versions v JOIN datasets d ON d.current_version_id = v.id
  WHERE v.id > $1 AND v.row_count >= ${minRows}
    AND (v.id <= $2 OR v.mode IN ('upsert', 'sync', 'delete') AND NOT EXISTS (
      SELECT 1 FROM versions o JOIN version_keys k ON k.version_id = o.id WHERE o.dataset_id = v.dataset_id AND k.storage_ids IS NULL))
    AND NOT EXISTS (SELECT 1 FROM version_keys k WHERE k.version_id = v.id) ORDER BY v.id LIMIT 1`;

interface Due {
  readonly id: number;
  readonly datasetId: number;
}

export const createKeyCheck = ({ sql, keys, log }: KeyCheckOptions): KeyCheck => {
  let lastChecked = 0;
  /** Highest version id at the previous call. */
  let newestBefore = 0;

  /** Storage ids of the entity columns if they are a key; otherwise null. */
  const keyOf = async ({ id, datasetId }: Due): Promise<readonly number[] | null | undefined> => {
    const base = await readBase(sql, datasetId);
    if (base?.versionId !== id || base.place === null) return undefined;
    const { place, columns, rowCount } = base;
    const entities = columns.filter(({ isEntity }) => isEntity);
    if (entities.length === 0) return null;
    const repeated = await keys.repeated(
      {
        mode: 'upsert',
        target: 0,
        targetPlace: place,
        base: { ...segmentListOf(base), rowCount },
        basePlace: place,
        baseColumns: columns,
        fileSegment: 0,
        filePlace: place,
        fileColumns: [],
        columns,
        keyIds: entities.map(({ id }) => id),
        keep: 'last',
      },
      'base',
    );
    return repeated.length === 0 ? entities.map(({ storageId }) => storageId) : null;
  };

  /** Returns false if no version is left to check. */
  const checkNext = async (): Promise<boolean> => {
    const [next] = await sql.query<Due>(nextSql, [lastChecked, newestBefore]);
    if (next === undefined) return false;
    lastChecked = next.id;
    const found = await keyOf(next).catch((error: unknown) => {
      if (!isClickHouseException(error) && !isAppError(error)) throw error;
      // The next upsert checks the key itself.
      log.warn({ err: error, dataset: next.datasetId }, 'key of a version not checked');
      return undefined;
    });
    if (found !== undefined)
      await sql.query(keepKeysSql('SELECT id, $2::bigint[] FROM versions WHERE id = $1'), [next.id, found]);
    return true;
  };

  return {
    async check(stop) {
      const [newest] = await sql.query<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM versions');
      let checked = 0;
      for (; !stop.aborted; checked += 1)
        if (!(await checkNext())) {
          [lastChecked, newestBefore] = [newestBefore, newest?.id ?? newestBefore];
          break;
        }
      return checked;
    },
  };
};
