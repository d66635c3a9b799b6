import { createRoomCheck } from '../catalog/quotas.js';
import type { Jobs } from '../jobs/jobs.js';
import type { Leases } from '../jobs/leases.js';
import type { Log } from '../lib/log.js';
import type { Metrics } from '../lib/metrics/metrics.js';
import type { Scope } from '../lib/scope.js';
import {
  createCompactions,
  createCompactor,
  createJoin,
  createTidy,
  type PoolLimits,
  type StoreTables,
} from '../rows/index.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import type { Sql } from '../storage/postgres/sql.js';
import { createChunkRecords } from '../uploads/lifecycle/chunk-records.js';
import type { Dispatcher } from '../uploads/lifecycle/dispatcher.js';
import { isStoreJoined } from '../uploads/lifecycle/store-writers.js';
import { createTransitionRecords } from '../uploads/lifecycle/transition-records.js';
import { createUploadSweep } from '../uploads/lifecycle/upload-sweep.js';
import { afterRetention, createRetention } from '../versions/retention.js';

export interface MaintenanceOptions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  readonly tables: StoreTables;
  readonly jobs: Jobs;
  readonly leases: Leases;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly sweepIntervalMs: number;
  readonly receiveTimeoutMs: number;
  readonly retentionMs: number;
  readonly storageSweepIntervalMs: number;
  readonly segmentGraceMs: number;
  readonly compaction: CompactionSettings;
  readonly pools: PoolSettings;
  /** Largest patch, in percent of the rows of the version before. */
  readonly patchMaxPercent: number;
}

export interface PoolSettings extends PoolLimits {
  /** Least milliseconds between two deletes of few segments. */
  readonly dropIntervalMs: number;
}

export interface CompactionSettings {
  readonly intervalMs: number;
  /** Fewest segments that are joined; below 2: none are. */
  readonly minSegments: number;
  readonly maxBytes: number;
  /** See `FoldLimits`. */
  readonly foldMinPercent: number;
  readonly foldIntervalMs: number;
}

/** Joins small neighbouring segments and folds patches, unless that is switched off. */
export const startCompaction = async (options: MaintenanceOptions, scope: Scope): Promise<void> => {
  const { sql, clickhouse, jobs, leases, metrics, log, compaction } = options;
  const [joins, folds] = [compaction.minSegments >= 2, compaction.foldMinPercent > 0];
  if (!joins && !folds) return;
  const compactor = createCompactor({
    compactions: createCompactions({ sql, leases }),
    join: createJoin({ clickhouse, log }),
    ...(joins ? { bounds: { least: compaction.minSegments, maxBytes: compaction.maxBytes } } : {}),
    ...(folds
      ? {
          folds: {
            minPercent: compaction.foldMinPercent,
            intervalMs: compaction.foldIntervalMs,
            hasRoom: createRoomCheck(sql),
          },
        }
      : {}),
    onJoined: ({ segments, foldedBytes }) => {
      metrics.compactions.inc();
      metrics.segmentsJoined.inc(segments);
      metrics.foldedBytes.inc(foldedBytes);
    },
    log,
  });
  await jobs.start('compaction', {
    everyMs: compaction.intervalMs,
    run: compactor.compact,
    scope,
  });
};

/** Ends uploads that nothing else would end, applies retention, and compares what is stored. */
export const startSweeps = async (
  options: MaintenanceOptions,
  dispatcher: Dispatcher,
  scope: Scope,
): Promise<void> => {
  const { sql, jobs, metrics, log } = options;
  const tidy = createTidy({
    ...options,
    poolDropIntervalMs: options.pools.dropIntervalMs,
    graceMs: options.segmentGraceMs,
    isBeingRead: isStoreJoined,
    onSegmentsRemoved: (segments) => metrics.segmentsRemoved.inc(segments),
  });
  const retention = createRetention({
    sql,
    onDropped: (versions) => metrics.versionsExpired.inc(versions),
    log,
  });
  const sweepUploads = createUploadSweep({
    ...options,
    transitions: createTransitionRecords(sql),
    chunks: createChunkRecords(sql),
    dispatcher,
  });

  /** Logs what a sweep has changed, unless that is nothing. */
  const logged = (sweep: (stop: AbortSignal) => Promise<object>) => async (stop: AbortSignal) => {
    const report = await sweep(stop);
    if (Object.values(report).some((count) => count > 0)) log.info({ ...report }, 'swept');
  };

  // Three jobs: uploads wait for the end of those before them, and to drop hundreds of segments may take minutes.
  const everyMs = options.sweepIntervalMs;
  await jobs.start('upload-sweep', { everyMs, run: logged(sweepUploads), scope });
  await jobs.start('row-drops', { everyMs, run: logged(tidy.release), scope });
  // A worker may have been started for it, so it comes soon after the start.
  await jobs.start('storage-sweep', {
    everyMs: options.storageSweepIntervalMs,
    firstAfterMs: everyMs,
    run: logged(afterRetention(tidy, retention)),
    scope,
  });
};
