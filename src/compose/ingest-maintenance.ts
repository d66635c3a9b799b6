import { createRoomCheck } from '../catalog/quotas.js';
import type { Scope } from '../lib/scope.js';
import { createVersions } from '../query/versions.js';
import {
  type CrowdedDatasets,
  createCompactions,
  createCompactor,
  createJoin,
  createReadCopier,
  createTidy,
} from '../rows/index.js';
import { createChunkRecords } from '../uploads/lifecycle/chunk-records.js';
import { datasetsToMerge } from '../uploads/lifecycle/column-merge-records.js';
import type { Dispatcher } from '../uploads/lifecycle/dispatcher.js';
import { isFirstForAnHour, isStoreJoined, isStoreWritten } from '../uploads/lifecycle/store-writers.js';
import { createTransitionRecords } from '../uploads/lifecycle/transition-records.js';
import { createUploadSweep } from '../uploads/lifecycle/upload-sweep.js';
import { afterRetention, createRetention } from '../versions/retention.js';
import type { Core } from './core.js';

/** Longest delay until patches are joined after their number has exceeded the limit. */
const crowdedPollMs = 1_000;

/** Joins small adjacent segments and folds patches, unless this is switched off. */
export const startCompaction = async (core: Core, crowded: CrowdedDatasets, scope: Scope): Promise<void> => {
  const { config, sql, clickhouse, jobs, leases, metrics, log } = core;
  const { compactionMinSegments: least, compactionMaxBytes: maxBytes, patchFoldMinPercent } = config;
  const [joins, folds] = [least >= 2, patchFoldMinPercent > 0];
  if (!joins && !folds) return;
  const compactor = createCompactor({
    compactions: createCompactions({ sql, leases }),
    join: createJoin({ clickhouse, log }),
    ...(joins ? { bounds: { least, maxBytes } } : {}),
    ...(folds
      ? {
          folds: {
            minPercent: patchFoldMinPercent,
            minRows: Math.ceil(config.patchMaxRows / 2),
            intervalMs: config.patchFoldIntervalMs,
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
  await jobs.start('compaction', { everyMs: config.compactionIntervalMs, run: compactor.compact, scope });
  await jobs.loop('joins of many patches', {
    everyMs: crowdedPollMs,
    run: (stop) => compactor.join(crowded.take(), stop),
    scope,
  });
};

/** Makes copies of versions that are read again, and drops those that are not, also once no more are requested. */
export const startReadCopies = async (core: Core, scope: Scope): Promise<void> => {
  const { config, sql, jobs, metrics } = core;
  const versions = createVersions(sql);
  const run = createReadCopier({
    ...core,
    find: ({ datasetId, versionId }) => versions.find({ datasetId, currentVersionId: null, versionId }),
    isBeingWritten: isStoreWritten,
    isSeldomReplaced: isFirstForAnHour,
    limits: {
      quietMs: config.readCopyQuietMs,
      minRows: config.readCopyMinRows,
      maxCount: config.readCopyMaxCount,
    },
    maxBytes: config.readCopyMaxBytes,
    keepMs: config.readCopyKeepMs,
    onCopied: (rows) => metrics.readCopyRows.inc(rows),
  });
  await jobs.start('read-copies', { everyMs: config.readCopyIntervalMs, run, scope });
};

/** Ends uploads that a crash left pending, applies retention, and compares both databases. */
export const startSweeps = async (core: Core, dispatcher: Dispatcher, scope: Scope): Promise<void> => {
  const { config, sql, jobs, metrics, log } = core;
  const tidy = createTidy({
    ...core,
    poolDropIntervalMs: config.poolDropIntervalMs,
    graceMs: config.segmentGraceMs,
    isBeingRead: isStoreJoined,
    onSegmentsRemoved: (segments) => metrics.segmentsRemoved.inc(segments),
  });
  const retention = createRetention({
    sql,
    onDropped: (versions) => metrics.versionsExpired.inc(versions),
    log,
  });
  const sweepUploads = createUploadSweep({
    transitions: createTransitionRecords(sql),
    chunks: createChunkRecords(sql),
    dispatcher,
    receiveTimeoutMs: config.receiveTimeoutMs,
    retentionMs: config.kafkaRetentionMs,
    log,
  });

  /** Logs the changes of a sweep, if there are any. */
  const logged = (sweep: (stop: AbortSignal) => Promise<object>) => async (stop: AbortSignal) => {
    const report = await sweep(stop);
    if (Object.values(report).some((count) => count > 0)) log.info({ ...report }, 'swept');
  };

  // Three jobs, since dropping hundreds of segments may take minutes and must not delay uploads.
  const everyMs = config.sweepIntervalMs;
  await jobs.start('upload-sweep', { everyMs, run: logged(sweepUploads), scope });
  await jobs.start('row-drops', { everyMs, run: logged(tidy.release), scope });
  // Soon after the start, since the worker may have been started for it.
  await jobs.start('storage-sweep', {
    everyMs: config.storageSweepIntervalMs,
    firstAfterMs: everyMs,
    run: logged(afterRetention(tidy, retention)),
    scope,
  });
};

/** Polls for merges of columns: no message in Kafka announces them, and their callers would wait for a sweep. */
export const startColumnMerges = async (
  { config, sql, jobs }: Core,
  dispatcher: Pick<Dispatcher, 'publish'>,
  scope: Scope,
): Promise<void> => {
  await jobs.loop('merges of columns', {
    everyMs: config.columnMergePollMs,
    run: async () => {
      for (const datasetId of await datasetsToMerge(sql)) await dispatcher.publish(datasetId);
    },
    scope,
  });
};
