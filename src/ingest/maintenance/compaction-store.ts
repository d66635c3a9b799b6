import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../lib/log.js';
import { compactedSegmentIds, processOfSegment } from '../../model/version.js';
import type { JoinedSegment } from '../../storage/clickhouse/segment-writes.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { ListedSegment } from './compaction-run.js';

/** A current version with many segments. */
export interface CompactionCandidate {
  readonly storeId: number;
  readonly versionId: number;
}

/** The records of compactions in PostgreSQL. */
export interface CompactionStore {
  /**
   * Current versions of at least so many segments, in any order, so that none waits for ever; stores that are being
   * compacted are left out.
   */
  candidates(least: number): Promise<CompactionCandidate[]>;
  /** In reading order. */
  segments(versionId: number): Promise<ListedSegment[]>;
  /**
   * Registers the segment that is going to take the place of a run; undefined when another worker is at this store,
   * the numbers behind the run's first segment are used up, or a list is not as it must be.
   */
  begin(storeId: number, segmentIds: readonly number[]): Promise<number | undefined>;
  /**
   * Does the work and says meanwhile that the worker is still at it. A lease that can not be extended runs out; the
   * swap then finds the compaction abandoned.
   */
  whileHeld<T>(target: number, work: () => Promise<T>): Promise<T>;
  /**
   * Lets every version that names segments of the run name the joined one instead, in one transaction.
   * False, and nothing changed, when the compaction was abandoned meanwhile or lists are not as they must be.
   */
  swap(
    storeId: number,
    target: number,
    run: readonly ListedSegment[],
    joined: JoinedSegment,
  ): Promise<boolean>;
  abandon(target: number): Promise<void>;
}

export interface CompactionStoreOptions {
  readonly sql: Sql;
  /** Milliseconds of silence after which a worker is taken for dead. */
  readonly leaseMs: number;
  readonly log: Log;
}

const interval = `$2 * interval '1 millisecond'`;

/**
 * Holds every dataset of the store: none of them publishes, restores, clones or drops a version meanwhile. It never
 * waits for one while it holds another: a repository that is deleted takes the same locks in an order of its own.
 */
const holdDatasets = async (tx: Sql, storeId: number): Promise<void> => {
  for (let held = -1; ; ) {
    const rows = await tx.query('SELECT 1 FROM datasets WHERE store_id = $1 FOR NO KEY UPDATE NOWAIT', [
      storeId,
    ]);
    // A clone that committed between look and lock is seen by the second look only.
    if (rows.length === held) return;
    held = rows.length;
  }
};

const lockNotAvailable = '55P03';
const lockTurns = 100;
const lockPauseMs = 50;

/** Repeats a transaction that met a lock. */
const whenFree = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let turn = 1; ; turn += 1) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code !== lockNotAvailable || turn === lockTurns) throw error;
      await sleep(lockPauseMs);
    }
  }
};

/** What each version has of the run: how many of its segments, the last of them, and where that one is cut. */
const touchedSql = `
  WITH run AS (
    SELECT r.id, r.place, r.start FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS r (id, start, place)
  ), touched AS (
    SELECT s.version_id, count(*) AS number, max(run.place) AS last, count(s.row_limit) AS cuts,
      (array_agg(s.row_limit ORDER BY run.place DESC))[1] AS cut
    FROM version_segments s JOIN run ON run.id = s.segment_id GROUP BY s.version_id
  )`;

/**
 * True when every version has the run from its first segment on, without gaps, and none but the last in part
 * (invariant 6 of the version model). Anything else would be a mistake that must not be made larger.
 */
const isSound = async (tx: Sql, ids: readonly number[], starts: readonly number[]): Promise<boolean> => {
  const odd = await tx.query(
    `${touchedSql} SELECT 1 FROM touched WHERE number <> last OR cuts <> (cut IS NOT NULL)::int LIMIT 1`,
    [ids, starts],
  );
  return odd.length === 0;
};

export const createCompactionStore = ({ sql, leaseMs, log }: CompactionStoreOptions): CompactionStore => ({
  candidates: (least) =>
    sql.query<CompactionCandidate>(
      `SELECT d.store_id AS "storeId", s.version_id AS "versionId"
       FROM datasets d JOIN version_segments s ON s.version_id = d.current_version_id
       WHERE NOT EXISTS (SELECT 1 FROM compactions c
         WHERE c.store_id = d.store_id AND c.state = 'writing' AND c.lease_until >= now())
       GROUP BY 1, 2 HAVING count(*) >= $1 ORDER BY random() LIMIT 200`,
      [least],
    ),

  segments: (versionId) =>
    sql.query<ListedSegment>(
      `SELECT g.id, coalesce(g.bytes, 0) AS bytes, s.row_limit IS NULL AND g.rows IS NOT NULL AS whole
       FROM version_segments s JOIN segments g ON g.id = s.segment_id WHERE s.version_id = $1 ORDER BY g.id`,
      [versionId],
    ),

  begin: (storeId, segmentIds) =>
    sql.tx(async (tx) => {
      // One at a time: who comes second sees the row of the first.
      await tx.query('SELECT 1 FROM stores WHERE id = $1 FOR NO KEY UPDATE', [storeId]);
      await tx.query(
        `UPDATE compactions SET state = 'abandoned' WHERE store_id = $1 AND state = 'writing' AND lease_until < now()`,
        [storeId],
      );
      const [first] = segmentIds;
      if (first === undefined || !(await isSound(tx, segmentIds, segmentIds))) return undefined;
      const { from, to } = compactedSegmentIds(first);
      const [next] = await tx.query<{ id: number; busy: boolean }>(
        `SELECT coalesce(max(segment_id) + 1, $2) AS id,
           EXISTS (SELECT 1 FROM compactions WHERE store_id = $1 AND state = 'writing') AS busy
         FROM compactions WHERE segment_id BETWEEN $2 AND $3`,
        [storeId, from, to],
      );
      if (next === undefined || next.busy || next.id > to) return undefined;
      await tx.query('INSERT INTO segments (id, store_id, process_id) VALUES ($1, $2, $3)', [
        next.id,
        storeId,
        processOfSegment(next.id),
      ]);
      await tx.query(
        `INSERT INTO compactions (segment_id, store_id, lease_until)
         VALUES ($1, $3, now() + ${interval})`,
        [next.id, leaseMs, storeId],
      );
      return next.id;
    }),

  async whileHeld(target, work) {
    const extend = () =>
      sql
        .query(
          `UPDATE compactions SET lease_until = now() + ${interval} WHERE segment_id = $1 AND state = 'writing'`,
          [target, leaseMs],
        )
        .catch((error: unknown) => log.warn({ err: error, segment: target }, 'lease not extended'));
    const timer = setInterval(extend, leaseMs / 3);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  },

  swap: (storeId, target, run, { starts, rows }) =>
    whenFree(() =>
      sql.tx(async (tx) => {
        await holdDatasets(tx, storeId);
        const [mine] = await tx.query(
          `SELECT 1 FROM compactions WHERE segment_id = $1 AND state = 'writing' FOR NO KEY UPDATE`,
          [target],
        );
        if (mine === undefined) return false;
        const ids = run.map(({ id }) => id);
        const places = [ids, starts.slice(0, -1)] as const;
        if (!(await isSound(tx, ...places))) return false;
        await tx.query(
          `${touchedSql}
         INSERT INTO version_segments (version_id, segment_id, row_limit)
         SELECT t.version_id, $3, CASE WHEN t.cut IS NOT NULL THEN run.start + t.cut ELSE behind.start END
         FROM touched t JOIN run ON run.place = t.last LEFT JOIN run behind ON behind.place = t.last + 1`,
          [...places, target],
        );
        await tx.query('DELETE FROM version_segments WHERE segment_id = ANY ($1)', [ids]);
        await tx.query('UPDATE segments SET unnamed_at = now() WHERE id = ANY ($1)', [ids]);
        await tx.query('UPDATE segments SET rows = $2, bytes = $3 WHERE id = $1', [
          target,
          rows,
          run.reduce((sum, { bytes }) => sum + bytes, 0),
        ]);
        await tx.query(`UPDATE compactions SET state = 'done' WHERE segment_id = $1`, [target]);
        return true;
      }),
    ),

  async abandon(target) {
    await sql.query(
      `UPDATE compactions SET state = 'abandoned' WHERE segment_id = $1 AND state = 'writing'`,
      [target],
    );
  },
});
