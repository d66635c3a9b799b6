/**
 * Checks in the background whether the entity columns of a current version are its key, so that the first upsert by them need not.
 * A new version waits until the next call, because appends often follow each other and a check reads the key of every row. A version that
 * an upsert, sync or delete made is checked at once: later changes by the same key keep the result, and in a dataset that changes
 * constantly no version would ever be old enough. It is not checked if rows of the dataset are known to share entities.
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
   * Records whether the entity columns of current versions are unique: of versions that existed at the previous call, and of those that
   * an upsert, sync or delete made. Returns their number.
   */
  check(stop: AbortSignal): Promise<number>;
}

/** Fewest rows that are checked: for fewer, the check of the upsert itself takes some 20 ms. */
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
