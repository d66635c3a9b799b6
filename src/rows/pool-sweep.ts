/**
 * Compares what pools hold with what PostgreSQL knows, and gives bytes back. Both sides add up ranges of segments; those
 * whose sums differ are compared segment by segment, so that the work is that of what has changed beside two passes.
 */
import type { Log } from '../lib/log.js';
import { areSegmentsHeld } from '../storage/postgres/held-segments.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { PoolSegment, PoolSegments, PoolTable, SegmentRange } from './pool-segments.js';
import { digestRanges, readSegmentDigests } from './segment-digests.js';
import { poolClasses } from './slots.js';

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

/**
 * Segments of versions in the pool of a shard, from one number (excluded) to another. Which shard has those of spread
 * stores is not known; `verify` counts them over all.
 */
const expectedSql = `
  SELECT s.id, s.rows FROM segments s JOIN slot_maps m ON m.id = s.slot_map_id JOIN stores st ON st.id = s.store_id
  WHERE m.pool = $1 AND s.id > $2 AND s.id <= $3 AND s.rows > 0 AND st.shard = $4 AND NOT st.everywhere
    AND EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = s.id)`;

const largestId = Number.MAX_SAFE_INTEGER;

/** @throws when `stop` is aborted before the end. */
export const sweepPools = async (
  { sql, pools, log }: PoolSweepOptions,
  stop?: AbortSignal,
): Promise<PoolSweepReport> => {
  const dropOrphans = (table: PoolTable, page: readonly PoolSegment[]): Promise<number> =>
    sql.tx(async (tx) => {
      if (!(await holdPools(tx)) || (await areSegmentsHeld(tx))) return 0;
      const ids = page.map(({ segmentId }) => segmentId);
      const known = await tx.query<{ id: number }>(
        `SELECT s.id FROM segments s JOIN slot_maps m ON m.id = s.slot_map_id JOIN stores st ON st.id = s.store_id
         WHERE s.id = ANY ($1) AND m.pool = $2 AND (st.everywhere OR st.shard = $3)`,
        [ids, table.pool, table.shard],
      );
      const places = new Set(known.map(({ id }) => id));
      const orphans = ids.filter((id) => !places.has(id));
      await pools.drop(table, orphans);
      if (orphans.length > 0)
        log.info(
          { shard: table.shard, pool: table.pool, segments: orphans.length },
          'rows dropped that belong to no segment',
        );
      return orphans.length;
    });

  /** A segment may have been dropped in its turn between the two lists: what is odd is looked at once more. */
  const countMissing = async (
    table: PoolTable,
    page: readonly PoolSegment[],
    after: number,
    last: number,
  ): Promise<number> => {
    const present = new Map(page.map(({ segmentId, rows }) => [segmentId, rows]));
    const look = () => sql.query<Expected>(expectedSql, [table.pool, after, last, table.shard]);
    const odd = (await look()).filter(({ id, rows }) => present.get(id) !== rows);
    if (odd.length === 0) return 0;
    const still = new Set((await look()).map(({ id }) => id));
    let missing = 0;
    for (const { id, rows } of odd) {
      if (!still.has(id)) continue;
      const [now] = await pools.list(table, { after: id - 1, until: id }, 1);
      const found = now?.segmentId === id ? now.rows : 0;
      if (found === rows) continue;
      missing += 1;
      log.error(
        { shard: table.shard, pool: table.pool, segment: id, rows, found },
        'rows of a version are not in ClickHouse as they were',
      );
    }
    return missing;
  };

  /** One by one. */
  const compare = async (table: PoolTable, { after, until }: SegmentRange): Promise<PoolSweepReport> => {
    let orphans = 0;
    let missing = 0;
    for (let from = after; from < until; ) {
      const page = await pools.list(table, { after: from, until }, pageSize);
      const last = page.length < pageSize ? until : (page.at(-1)?.segmentId ?? until);
      if (page.length > 0) orphans += await dropOrphans(table, page);
      missing += await countMissing(table, page, from, last);
      from = last;
    }
    return { orphans, missing };
  };

  const starts = await digestRanges(sql);
  const keyOf = ({ shard, pool }: PoolTable, start: number): string => `${shard}/${pool}/${start}`;
  const expected = new Map(
    (await readSegmentDigests(sql, starts)).map((of) => [keyOf(of, of.start), of.digest]),
  );
  let orphans = 0;
  let missing = 0;
  for (const table of pools.shards.flatMap((shard) => poolClasses.map((pool) => ({ shard, pool })))) {
    stop?.throwIfAborted();
    const found = new Map((await pools.digests(table, starts)).map(({ start, digest }) => [start, digest]));
    for (const [at, start] of starts.entries()) {
      if (found.get(start) === expected.get(keyOf(table, start))) continue;
      const next = starts[at + 1];
      const until = next === undefined ? largestId : next - 1;
      stop?.throwIfAborted();
      const report = await compare(table, { after: start - 1, until });
      orphans += report.orphans;
      missing += report.missing;
    }
    await pools.clean(table);
  }
  return { orphans, missing };
};
