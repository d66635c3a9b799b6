/**
 * Looks in the background whether the entity columns of a current version are its key, so that the first upsert by them need not.
 * Versions that came a moment ago are left for a later round: appends follow each other, and each check reads the key of every row.
 */
import { isAppError } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import { type Keys, segmentListOf } from '../../rows/index.js';
import { isClickHouseException } from '../../storage/clickhouse/errors.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { keepKeysSql } from '../../storage/postgres/version-keys.js';
import { readBase } from '../../uploads/layout/base-version.js';

export interface KeyCheckOptions {
  readonly sql: Sql;
  /** Of low priority. */
  readonly keys: Pick<Keys, 'repeated'>;
  readonly log: Log;
}

export interface KeyCheck {
  /**
   * Notes of versions whether their entity columns are unique: of those that were there at the call before and are still current.
   * Returns their number.
   */
  check(stop: AbortSignal): Promise<number>;
}

/** Fewest rows that are worth a check: fewer are looked through in some 20 ms when an upsert comes. */
const leastRows = 100_000;

/** Advisory lock: one worker at a time checks. */
const lockSql = `SELECT pg_try_advisory_xact_lock(hashtext('tabulary keys')) AS held`;

const nextSql = `
  SELECT v.id, v.dataset_id AS "datasetId" FROM versions v JOIN datasets d ON d.current_version_id = v.id
  WHERE v.id > $1 AND v.id <= $2 AND v.row_count >= ${leastRows}
    AND NOT EXISTS (SELECT 1 FROM version_keys k WHERE k.version_id = v.id) ORDER BY v.id LIMIT 1`;

interface Due {
  readonly id: number;
  readonly datasetId: number;
}

export const createKeyCheck = ({ sql, keys, log }: KeyCheckOptions): KeyCheck => {
  /** Versions up to the first id were looked at; those up to the second were there at the call before. */
  let done = 0;
  let due = 0;

  /** Storage ids of the entity columns, if they are a key; null: they are not, or there are none. */
  const keyOf = async (tx: Sql, { id, datasetId }: Due): Promise<readonly number[] | null | undefined> => {
    const base = await readBase(tx, datasetId);
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

  /** False: none is left. Undefined: another worker is at it. */
  const checkNext = (): Promise<boolean | undefined> =>
    sql.tx(async (tx) => {
      const [lock] = await tx.query<{ held: boolean }>(lockSql);
      if (lock?.held !== true) return undefined;
      const [next] = await tx.query<Due>(nextSql, [done, due]);
      if (next === undefined) return false;
      done = next.id;
      const found = await keyOf(tx, next).catch((error: unknown) => {
        if (!isClickHouseException(error) && !isAppError(error)) throw error;
        // An upsert looks for itself.
        log.warn({ err: error, dataset: next.datasetId }, 'key of a version not checked');
        return undefined;
      });
      if (found !== undefined)
        await tx.query(keepKeysSql('SELECT id, $2::bigint[] FROM versions WHERE id = $1'), [next.id, found]);
      return true;
    });

  return {
    async check(stop) {
      const [newest] = await sql.query<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM versions');
      let checked = 0;
      for (let more: boolean | undefined = true; more; checked += more ? 1 : 0) {
        if (stop.aborted) return checked;
        more = await checkNext();
        if (more === false) [done, due] = [due, newest?.id ?? due];
      }
      return checked;
    },
  };
};
