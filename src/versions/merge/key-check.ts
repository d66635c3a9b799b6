/**
 * Checks in the background whether the entity columns of a current version are its key, so that the first upsert by them need not.
 * Versions published a moment ago are left for a later round: appends follow each other, and each check reads the key of every row.
 * Changes by a key keep what is known of it, so that one check is enough for all that follow, and none lasts in a dataset that changes all
 * the time: these are looked at at once, unless rows of the dataset are known to share entities.
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
   * Notes of current versions whether their entity columns are unique: of those that were there at the call before, and of those that
   * changed another by its key. Returns their number.
   */
  check(stop: AbortSignal): Promise<number>;
}

/** Fewest rows that are worth a check: an upsert checks fewer in some 20 ms itself. */
const leastRows = 100_000;

const nextSql = `
  SELECT v.id, v.dataset_id AS "datasetId" FROM versions v JOIN datasets d ON d.current_version_id = v.id
  WHERE v.id > $1 AND v.row_count >= ${leastRows}
    AND (v.id <= $2 OR v.mode IN ('upsert', 'sync', 'delete') AND NOT EXISTS (
      SELECT 1 FROM versions o JOIN version_keys k ON k.version_id = o.id WHERE o.dataset_id = v.dataset_id AND k.storage_ids IS NULL))
    AND NOT EXISTS (SELECT 1 FROM version_keys k WHERE k.version_id = v.id) ORDER BY v.id LIMIT 1`;

interface Due {
  readonly id: number;
  readonly datasetId: number;
}

export const createKeyCheck = ({ sql, keys, log }: KeyCheckOptions): KeyCheck => {
  /** Highest version id that was checked, and highest one that existed at the previous call. */
  let done = 0;
  let due = 0;

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
    const [next] = await sql.query<Due>(nextSql, [done, due]);
    if (next === undefined) return false;
    done = next.id;
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
          [done, due] = [due, newest?.id ?? due];
          break;
        }
      return checked;
    },
  };
};
