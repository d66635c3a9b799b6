/**
 * Finds what a crash left behind and puts it right. Every step is idempotent, so that any number of workers may
 * sweep at the same time.
 */
import type { Log } from '../lib/log.js';
import type { StoreTables } from '../storage/clickhouse/store-table.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Replayer } from './replayer.js';
import type { VersionPublisher } from './version-publisher.js';

export interface SweepReport {
  readonly abandoned: number;
  readonly expired: number;
  readonly replays: number;
  readonly segments: number;
  readonly stores: number;
  readonly orphanSegments: number;
  readonly orphanStores: number;
}

export interface Sweeper {
  /** One look at everything. */
  sweep(): Promise<SweepReport>;
  /** Ends the regular looks; resolves when none runs. */
  close(): Promise<void>;
}

export interface SweeperOptions {
  readonly sql: Sql;
  readonly publisher: VersionPublisher;
  readonly replayer: Replayer;
  readonly tables: StoreTables;
  readonly intervalMs: number;
  /** Silence after which a receiving API is taken for dead. */
  readonly receiveTimeoutMs: number;
  /** How long Kafka keeps chunks. */
  readonly retentionMs: number;
  readonly log: Log;
}

interface Stuck {
  id: number;
  datasetId: number;
}

export const createSweeper = (options: SweeperOptions): Sweeper => {
  const { sql, publisher, replayer, tables, log } = options;

  /**
   * Fails the pending uploads that meet the condition. One statement looks and judges: a sign of life that comes
   * between two would be overlooked, and an upload that was answered as received would be failed.
   */
  const failWhere = async (condition: string, ms: number, code: string, message: string): Promise<number> => {
    const failed = await sql.query<Stuck>(
      `UPDATE processes SET status = 'failed', error = $2, completed_at = now()
       WHERE status = 'pending' AND received_at < now() - $1 * interval '1 millisecond' AND ${condition}
       RETURNING id, dataset_id AS "datasetId"`,
      [ms, JSON.stringify({ code, message })],
    );
    for (const { id, datasetId } of failed) {
      log.warn({ process: id, code }, 'upload failed by the sweep');
      await publisher.publishDue(datasetId);
    }
    return failed.length;
  };

  /** Uploads whose receiving API died: the rest of the file will never come. */
  const failAbandoned = (): Promise<number> =>
    failWhere(
      'sealed_at IS NULL AND chunk_count IS NULL',
      options.receiveTimeoutMs,
      'upload_abandoned',
      'The upload was not received completely. It can be sent again.',
    );

  /** Uploads of which chunks are missing and can not come any more. */
  const failExpired = (): Promise<number> =>
    failWhere(
      `phase IN ('insert', 'collect') AND created_at < now() - $1 * interval '1 millisecond'`,
      options.retentionMs,
      'upload_expired',
      'The upload could not be stored within the time for which received files are kept.',
    );

  const startReplays = async (): Promise<number> => {
    const waiting = await sql.query<{ id: number }>(
      `SELECT id FROM processes p
       WHERE status = 'pending' AND (lease_until IS NULL OR lease_until < now())
         AND (phase = 'replay' OR (phase = 'collect'
           AND chunk_count = (SELECT count(*) FROM chunks c WHERE c.process_id = p.id)))`,
    );
    for (const { id } of waiting) replayer.start(id);
    return waiting.length;
  };

  const publishReady = async (): Promise<void> => {
    const datasets = await sql.query<{ id: number }>(
      `SELECT DISTINCT dataset_id AS id FROM processes WHERE status = 'pending' AND phase IN ('ready', 'merge', 'merged')`,
    );
    for (const { id } of datasets) await publisher.publishDue(id);
  };

  /** Segments that no version and no pending attempt names. */
  const dropSegments = async (): Promise<number> => {
    const unused = `NOT EXISTS (SELECT 1 FROM version_segments v WHERE v.segment_id = s.id)
      AND NOT EXISTS (SELECT 1 FROM processes p
        WHERE p.id = s.process_id AND p.status = 'pending' AND s.id % 1000 IN (p.attempt, 500 + p.merge_attempt))`;
    const segments = await sql.query<{ id: number; storeId: number }>(
      `SELECT s.id, s.store_id AS "storeId" FROM segments s WHERE ${unused} LIMIT 1000`,
    );
    for (const { id, storeId } of segments) {
      await tables.dropSegment(storeId, id);
      await sql.query(`DELETE FROM segments s WHERE s.id = $1 AND ${unused}`, [id]);
    }
    return segments.length;
  };

  const dropStores = async (): Promise<number> => {
    const unused = `NOT EXISTS (SELECT 1 FROM datasets d WHERE d.store_id = s.id)
      AND NOT EXISTS (SELECT 1 FROM segments g WHERE g.store_id = s.id)`;
    const stores = await sql.query<{ id: number }>(`SELECT s.id FROM stores s WHERE ${unused} LIMIT 1000`);
    for (const { id } of stores) {
      await tables.dropStore(id);
      await sql.query(`DELETE FROM stores s WHERE s.id = $1 AND ${unused}`, [id]);
    }
    return stores.length;
  };

  /** Rows that PostgreSQL does not know: written by a worker after its attempt was over and dropped. */
  const dropOrphanSegments = async (): Promise<number> => {
    const present = await tables.listSegments();
    const known = await sql.query<{ id: number }>('SELECT id FROM segments WHERE id = ANY ($1)', [
      present.map((segment) => segment.segmentId),
    ]);
    const ids = new Set(known.map((segment) => segment.id));
    const orphans = present.filter((segment) => !ids.has(segment.segmentId));
    for (const { storeId, segmentId } of orphans) await tables.dropSegment(storeId, segmentId);
    return orphans.length;
  };

  const dropOrphanStores = async (): Promise<number> => {
    const present = await tables.listStores();
    const known = await sql.query<{ id: number }>('SELECT id FROM stores WHERE id = ANY ($1)', [present]);
    const ids = new Set(known.map((store) => store.id));
    const orphans = present.filter((id) => !ids.has(id));
    for (const id of orphans) await tables.dropStore(id);
    return orphans.length;
  };

  const sweep = async (): Promise<SweepReport> => {
    await publishReady();
    return {
      abandoned: await failAbandoned(),
      expired: await failExpired(),
      replays: await startReplays(),
      segments: await dropSegments(),
      stores: await dropStores(),
      orphanSegments: await dropOrphanSegments(),
      orphanStores: await dropOrphanStores(),
    };
  };

  let running: Promise<void> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = sweep()
      .then(
        (report) => {
          if (Object.values(report).some((count) => count > 0)) log.info({ ...report }, 'swept');
        },
        (error: unknown) => log.warn({ err: error }, 'sweep did not succeed'),
      )
      .finally(() => {
        busy = false;
      });
  }, options.intervalMs);

  return {
    sweep,
    async close() {
      clearInterval(timer);
      await running;
    },
  };
};
