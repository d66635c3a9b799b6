import { createRoomCheck } from '../catalog/quotas.js';
import type { Log } from '../lib/log.js';
import type { Metrics } from '../lib/metrics/metrics.js';
import { startPeriodic } from '../lib/periodic.js';
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
import { createSharedTurn } from '../storage/postgres/settings.js';
import type { Sql } from '../storage/postgres/sql.js';
import { createChunkRecords } from '../uploads/lifecycle/chunk-records.js';
import type { Dispatcher } from '../uploads/lifecycle/dispatcher.js';
import { isStoreJoined } from '../uploads/lifecycle/store-writers.js';
import { createTransitionRecords } from '../uploads/lifecycle/transition-records.js';
import { createUploadSweep } from '../uploads/lifecycle/upload-sweep.js';
import { afterRetention, createRetention } from '../versions/retention.js';
import { createSweeper, type Sweeper } from '../versions/sweeper.js';

export interface MaintenanceOptions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  readonly tables: StoreTables;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly leaseMs: number;
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
  const { sql, clickhouse, metrics, log, leaseMs, compaction } = options;
  const [joins, folds] = [compaction.minSegments >= 2, compaction.foldMinPercent > 0];
  if (!joins && !folds) return;
  const compactor = createCompactor({
    compactions: createCompactions({ sql, leaseMs, log }),
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
  const periodic = startPeriodic({
    name: 'compaction',
    intervalMs: compaction.intervalMs,
    run: async (stop) => {
      await compactor.compact(stop);
    },
    log,
  });
  await scope.defer('compaction', periodic.stop);
};

/** Ends uploads that nothing else would end, applies retention, and compares what is stored. */
export const startSweeper = async (
  options: MaintenanceOptions,
  dispatcher: Dispatcher,
  scope: Scope,
): Promise<Sweeper> => {
  const { sql, clickhouse, tables, metrics, log } = options;
  const retention = createRetention({
    sql,
    onDropped: (versions) => metrics.versionsExpired.inc(versions),
    log,
  });
  const tidy = createTidy({
    sql,
    clickhouse,
    tables,
    poolDropIntervalMs: options.pools.dropIntervalMs,
    graceMs: options.segmentGraceMs,
    isBeingRead: isStoreJoined,
    onSegmentsRemoved: (segments) => metrics.segmentsRemoved.inc(segments),
    log,
  });
  const sweeper = createSweeper({
    turn: createSharedTurn(sql, 'storage_swept_at'),
    uploads: createUploadSweep({
      transitions: createTransitionRecords(sql),
      chunks: createChunkRecords(sql),
      dispatcher,
      receiveTimeoutMs: options.receiveTimeoutMs,
      retentionMs: options.retentionMs,
      log,
    }),
    storage: afterRetention(tidy, retention),
    intervalMs: options.sweepIntervalMs,
    storageIntervalMs: options.storageSweepIntervalMs,
    log,
  });
  await scope.defer('sweeper', sweeper.close);
  return sweeper;
};
