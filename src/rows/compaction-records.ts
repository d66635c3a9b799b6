import { whileLeased } from '../lib/lease.js';
import type { Log } from '../lib/log.js';
import type { Placement } from '../model/placement.js';
import { compactedSegmentIds } from '../model/version.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { ListedSegment } from './compaction-run.js';
import { placementSql } from './placements.js';
import { addSegmentBeside, countSegmentSql, noteUnlisted } from './segment-records.js';
import { createSegmentSwap, type PublishedRun } from './segment-swap.js';
import type { JoinedSegment } from './segment-writes.js';

/** A dataset whose current version has many segments. */
export interface CompactionCandidate {
  readonly storeId: number;
  readonly datasetId: number;
}

/** The records of compactions in PostgreSQL: the one place that writes them. */
export interface CompactionRecords {
  /**
   * Datasets whose current version has at least so many segments, in any order, so that none waits for ever; stores
   * that are being compacted are left out.
   */
  candidates(least: number): Promise<CompactionCandidate[]>;
  /** Of the current version, in reading order. */
  segments(datasetId: number): Promise<ListedSegment[]>;
  /**
   * Registers the segment that is going to take the place of a run; undefined when another worker is at this store, or
   * the numbers behind the run's first segment are used up.
   */
  begin(storeId: number, segmentIds: readonly number[]): Promise<number | undefined>;
  /**
   * Does the work and says meanwhile that the worker is still at it. `lost` is aborted when the lease has run out or the
   * compaction was abandoned; the swap does nothing then.
   */
  whileHeld<T>(target: number, work: (lost: AbortSignal) => Promise<T>): Promise<T>;
  /**
   * Lets every version that has segments of the run have the joined one instead: from the first step on, which holds
   * nothing but the record of the compaction, whoever comes finishes it.
   * False, and nothing changed, when the lease has run out or the compaction was abandoned.
   */
  swap(
    target: number,
    run: readonly ListedSegment[],
    joined: JoinedSegment,
    stop?: AbortSignal,
  ): Promise<boolean>;
  /** Finishes swaps whose worker fell silent; gives their number. */
  resume(stop: AbortSignal): Promise<number>;
  /** Where a segment lies that was begun: beside those of its run. */
  placement(target: number): Promise<Placement>;
  abandon(target: number): Promise<void>;
}

/** Abandons compactions whose worker fell silent; gives their number. @param storeId Of one store. */
export const abandonSilent = async (sql: Sql, storeId?: number): Promise<number> => {
  const silent = await sql.query(
    `UPDATE compactions SET state = 'abandoned' WHERE state = 'writing' AND lease_until < now()
       AND ($1::bigint IS NULL OR store_id = $1) RETURNING 1`,
    [storeId ?? null],
  );
  return silent.length;
};

export interface CompactionRecordsOptions {
  readonly sql: Sql;
  /** Milliseconds of silence after which a worker is taken for dead. */
  readonly leaseMs: number;
  /** Milliseconds between two renewals. @default a third of `leaseMs` */
  readonly renewMs?: number;
  readonly log: Log;
}

const interval = `$2 * interval '1 millisecond'`;

export const createCompactionRecords = ({
  sql,
  leaseMs,
  renewMs,
  log,
}: CompactionRecordsOptions): CompactionRecords => {
  const segmentSwap = createSegmentSwap({ sql, log });

  /** From here on the compaction is not abandoned any more. */
  const publish = (
    { target, run, starts }: PublishedRun,
    facts: { readonly rows: number; readonly bytes: number },
  ): Promise<boolean> =>
    sql.tx(async (tx) => {
      const [mine] = await tx.query(
        `UPDATE compactions SET state = 'swapping', run = $2, starts = $3
         WHERE segment_id = $1 AND state = 'writing' AND lease_until > now() RETURNING 1`,
        [target, run, starts],
      );
      if (mine === undefined) return false;
      await tx.query(countSegmentSql('$1', { rows: '$2', bytes: '$3' }), [target, facts.rows, facts.bytes]);
      return true;
    });

  const finish = async (published: PublishedRun, stop?: AbortSignal): Promise<boolean> => {
    if (!(await segmentSwap.finish(published, stop))) return false;
    await sql.tx(async (tx) => {
      await noteUnlisted(tx, published.run);
      await tx.query(
        // What it took the place of stays known: pages that are being read name rows by the segments of their time.
        `UPDATE compactions SET state = 'done' WHERE segment_id = $1 AND state = 'swapping'`,
        [published.target],
      );
    });
    return true;
  };

  const renew = async (target: number): Promise<boolean> => {
    const rows = await sql.query(
      `UPDATE compactions SET lease_until = now() + ${interval}
       WHERE segment_id = $1 AND state IN ('writing', 'swapping') RETURNING 1`,
      [target, leaseMs],
    );
    return rows.length > 0;
  };

  return {
    candidates: (least) =>
      sql.query<CompactionCandidate>(
        `SELECT d.store_id AS "storeId", d.id AS "datasetId"
         FROM (SELECT dataset_id FROM segment_ranges WHERE until_version IS NULL
           GROUP BY dataset_id HAVING count(*) >= $1) m JOIN datasets d ON d.id = m.dataset_id
         WHERE NOT EXISTS (SELECT 1 FROM compactions c
           WHERE c.store_id = d.store_id AND c.state IN ('writing', 'swapping') AND c.lease_until >= now())
         ORDER BY random() LIMIT 200`,
        [least],
      ),

    segments: (datasetId) =>
      sql.query<ListedSegment>(
        `SELECT g.id, coalesce(g.bytes, 0) AS bytes, r.row_limit IS NULL AND g.rows IS NOT NULL AS whole
         FROM segment_ranges r JOIN segments g ON g.id = r.segment_id
         WHERE r.dataset_id = $1 AND r.until_version IS NULL ORDER BY g.id`,
        [datasetId],
      ),

    begin: (storeId, segmentIds) =>
      sql.tx(async (tx) => {
        // One at a time: who comes second sees the row of the first.
        await tx.query('SELECT 1 FROM stores WHERE id = $1 FOR NO KEY UPDATE', [storeId]);
        await abandonSilent(tx, storeId);
        const [first] = segmentIds;
        if (first === undefined) return undefined;
        const { from, to } = compactedSegmentIds(first);
        const [next] = await tx.query<{ id: number; busy: boolean }>(
          `SELECT coalesce(max(segment_id) + 1, $2) AS id, EXISTS (SELECT 1 FROM compactions
             WHERE store_id = $1 AND state IN ('writing', 'swapping')) AS busy
           FROM compactions WHERE segment_id BETWEEN $2 AND $3`,
          [storeId, from, to],
        );
        if (next === undefined || next.busy || next.id > to) return undefined;
        await addSegmentBeside(tx, next.id, first);
        await tx.query(
          `INSERT INTO compactions (segment_id, store_id, lease_until)
           VALUES ($1, $3, now() + ${interval})`,
          [next.id, leaseMs, storeId],
        );
        return next.id;
      }),

    whileHeld: (target, work) =>
      whileLeased(
        {
          leaseMs,
          renewMs,
          renew: () => renew(target),
          onError: (error) => log.warn({ err: error, segment: target }, 'lease not extended'),
        },
        work,
      ),

    async swap(target, run, { starts, rows }, stop) {
      const published = { target, run: run.map(({ id }) => id), starts };
      const bytes = run.reduce((sum, { bytes }) => sum + bytes, 0);
      if (!(await publish(published, { rows, bytes }))) return false;
      await finish(published, stop);
      return true;
    },

    async resume(stop) {
      const silent = await sql.query<PublishedRun>(
        `SELECT segment_id AS target, run, starts FROM compactions
         WHERE state = 'swapping' AND lease_until < now() ORDER BY segment_id`,
      );
      let finished = 0;
      for (const published of silent) if (await finish(published, stop)) finished += 1;
      return finished;
    },

    async placement(target) {
      const [row] = await sql.query<{ placement: Placement }>(
        `SELECT ${placementSql('g')} AS placement FROM segments g WHERE g.id = $1`,
        [target],
      );
      if (row === undefined) throw new Error(`there is no segment ${target}`);
      return row.placement;
    },

    async abandon(target) {
      await sql.query(
        `UPDATE compactions SET state = 'abandoned' WHERE segment_id = $1 AND state = 'writing'`,
        [target],
      );
    },
  };
};

/** Compactions of a catalog that was restored: what was being written has no rows; swaps go on at once. */
export const settleRestoredCompactions = async (tx: Sql): Promise<void> => {
  await tx.query(`UPDATE compactions SET state = 'abandoned' WHERE state = 'writing'`);
  await tx.query(`UPDATE compactions SET lease_until = now() WHERE state = 'swapping'`);
};
