/**
 * Finds what a crash left behind and puts it right. Every step is idempotent, so that any number of workers may
 * sweep at the same time.
 */
import type { Log } from '../../lib/log.js';
import { startPeriodic } from '../../lib/periodic.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { Replayer } from '../store/replayer.js';
import type { VersionPublisher } from '../versions/version-publisher.js';
import type { StorageReport, StorageSweep } from './storage-sweep.js';

export interface SweepReport extends Partial<StorageReport> {
  /** Uploads whose receiving API died. */
  readonly abandoned: number;
  /** Uploads that could not be stored while Kafka kept them. */
  readonly expired: number;
  /** Uploads that wait to be read again. */
  readonly replays: number;
}

export interface Sweeper {
  /** One look at uploads and at what they left; the first, and then every so often, at everything that is stored. */
  sweep(): Promise<SweepReport>;
  /** Ends the regular looks; resolves when none runs. */
  close(): Promise<void>;
}

export interface SweeperOptions {
  readonly sql: Sql;
  readonly publisher: VersionPublisher;
  readonly replayer: Replayer;
  readonly storage: StorageSweep;
  readonly intervalMs: number;
  /** Between two looks at everything that is stored, in milliseconds. */
  readonly storageIntervalMs: number;
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
  const { sql, publisher, replayer, storage, log } = options;

  /** One dataset that can not be published must not keep the sweep from all others. */
  const publish = async (datasetId: number): Promise<void> => {
    try {
      await publisher.publishDue(datasetId);
    } catch (error) {
      log.error({ err: error, dataset: datasetId }, 'dataset not published by the sweep');
    }
  };

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
      await publish(datasetId);
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
    for (const { id } of datasets) await publish(id);
  };

  let storageDueAt = 0;

  const sweepStorage = async (stop?: AbortSignal): Promise<Partial<StorageReport>> => {
    if (Date.now() < storageDueAt) return storage.release(stop);
    const report = await storage.sweep(stop);
    storageDueAt = Date.now() + options.storageIntervalMs;
    return report;
  };

  const sweepUploads = async () => {
    await publishReady();
    return {
      abandoned: await failAbandoned(),
      expired: await failExpired(),
      replays: await startReplays(),
    };
  };

  const told = (look: (stop: AbortSignal) => Promise<Partial<SweepReport>>) => async (stop: AbortSignal) => {
    const report = await look(stop);
    if (Object.values(report).some((count) => count > 0)) log.info({ ...report }, 'swept');
  };

  const { intervalMs } = options;
  // Apart: uploads wait for the end of those before them, and to drop hundreds of segments may take minutes.
  const rounds = [
    startPeriodic({ name: 'sweep of uploads', intervalMs, run: told(sweepUploads), log }),
    startPeriodic({ name: 'sweep of the storage', intervalMs, run: told(sweepStorage), log }),
  ];

  return {
    sweep: async () => ({ ...(await sweepUploads()), ...(await sweepStorage()) }),
    async close() {
      await Promise.all(rounds.map((round) => round.stop()));
    },
  };
};
