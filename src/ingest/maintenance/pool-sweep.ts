/** Compares what pools hold with what PostgreSQL knows, a page of segments at a time, and gives bytes back. */
import type { Log } from '../../lib/log.js';
import { type PoolClass, poolClasses } from '../../model/placement.js';
import type { PoolSegment, PoolSegments } from '../../storage/clickhouse/pool-segments.js';
import { areSegmentsHeld } from '../../storage/postgres/held-segments.js';
import type { Sql } from '../../storage/postgres/sql.js';

export interface PoolSweepReport {
  /** Segments that PostgreSQL does not know there; they were removed. */
  readonly orphans: number;
  /** Segments of versions that have not as many rows as they should. */
  readonly missing: number;
}

export interface PoolSweepOptions {
  readonly sql: Sql;
  readonly pools: PoolSegments;
  readonly log: Log;
}

/**
 * Held by whoever copies rows into a pool before PostgreSQL says that they are there, and by the sweep, to which they
 * are orphans.
 */
export const holdPools = async (tx: Sql): Promise<boolean> => {
  const [row] = await tx.query<{ held: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('tabulary pools')) AS held`,
  );
  return row?.held === true;
};

const pageSize = 10_000;

interface Expected {
  readonly id: number;
  readonly rows: number;
}

/** Segments of versions in the pool, from one number (excluded) to another. */
const expectedSql = `
  SELECT s.id, s.rows FROM segments s JOIN slot_maps m ON m.id = s.slot_map_id
  WHERE m.pool = $1 AND s.id > $2 AND s.id <= $3 AND s.rows > 0
    AND EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = s.id)`;

const largestId = Number.MAX_SAFE_INTEGER;

export const sweepPools = async ({ sql, pools, log }: PoolSweepOptions): Promise<PoolSweepReport> => {
  const dropOrphans = (pool: PoolClass, page: readonly PoolSegment[]): Promise<number> =>
    sql.tx(async (tx) => {
      if (!(await holdPools(tx)) || (await areSegmentsHeld(tx))) return 0;
      const ids = page.map(({ segmentId }) => segmentId);
      const known = await tx.query<{ id: number }>(
        `SELECT s.id FROM segments s JOIN slot_maps m ON m.id = s.slot_map_id
         WHERE s.id = ANY ($1) AND m.pool = $2`,
        [ids, pool],
      );
      const places = new Set(known.map(({ id }) => id));
      const orphans = ids.filter((id) => !places.has(id));
      await pools.drop(pool, orphans);
      if (orphans.length > 0)
        log.info({ pool, segments: orphans.length }, 'rows dropped that belong to no segment');
      return orphans.length;
    });

  /** A segment may have been dropped in its turn between the two lists: what is odd is looked at once more. */
  const countMissing = async (
    pool: PoolClass,
    page: readonly PoolSegment[],
    after: number,
    last: number,
  ): Promise<number> => {
    const present = new Map(page.map(({ segmentId, rows }) => [segmentId, rows]));
    const look = () => sql.query<Expected>(expectedSql, [pool, after, last]);
    const odd = (await look()).filter(({ id, rows }) => present.get(id) !== rows);
    if (odd.length === 0) return 0;
    const still = new Set((await look()).map(({ id }) => id));
    let missing = 0;
    for (const { id, rows } of odd) {
      if (!still.has(id)) continue;
      const [now] = await pools.list(pool, id - 1, 1);
      const found = now?.segmentId === id ? now.rows : 0;
      if (found === rows) continue;
      missing += 1;
      log.error({ pool, segment: id, rows, found }, 'rows of a version are not in ClickHouse as they were');
    }
    return missing;
  };

  let orphans = 0;
  let missing = 0;
  for (const pool of poolClasses) {
    for (let after = 0; ; ) {
      const page = await pools.list(pool, after, pageSize);
      const last = page.length < pageSize ? largestId : (page.at(-1)?.segmentId ?? largestId);
      if (page.length > 0) orphans += await dropOrphans(pool, page);
      missing += await countMissing(pool, page, after, last);
      if (last === largestId) break;
      after = last;
    }
    await pools.clean(pool);
  }
  return { orphans, missing };
};
