import { hostname } from 'node:os';
import { createAuditTrail } from '../catalog/audit-trail.js';
import { removeEndedReads } from '../catalog/export-quota.js';
import { removeEndedSessions } from '../catalog/sessions.js';
import type { Config } from '../config.js';
import { createApp } from '../http/app.js';
import { type Check, createOperationsRoutes } from '../http/routes/operations.js';
import { type Build, build as thisBuild } from '../lib/build.js';
import type { Log } from '../lib/log.js';
import { startPeriodic } from '../lib/periodic.js';
import type { Scope } from '../lib/scope.js';
import { makeShardTablesAtStart } from '../rows/index.js';
import { startHeartbeat } from '../storage/postgres/live-processes.js';
import { watchConsuming } from '../uploads/lifecycle/consuming.js';
import { checksOf, connect, type Listening, listen, requestDrainMs } from './core.js';
import { type IngestWorker, startIngestWorker } from './ingest-worker.js';
import { openMetrics, refuseKeys } from './metrics-port.js';
import { keepSegmentHashes } from './segment-hashes.js';

/** Longest silence of a consumer that still counts as alive: several empty fetches. */
const consumerSilenceMs = 30_000;

/** The worker: consumers, replays, sweeps, and a small HTTP server for its health. */
export const createWorkerProcess = async (
  config: Config,
  log: Log,
  scope: Scope,
  build: Build = thisBuild,
): Promise<Listening> => {
  const core = await connect(config, log, scope, { name: 'worker', version: build.version });
  const { metrics } = core;
  await makeShardTablesAtStart(core);
  metrics.buildInfo.set({ ...build }, 1);
  let worker: IngestWorker | undefined;
  const consuming: Check = {
    name: 'consumers',
    run: async () => {
      if (worker === undefined) throw new Error('consumers have not joined yet');
      const silentMs = Date.now() - worker.lastTickAt();
      if (silentMs > consumerSilenceMs) throw new Error(`a consumer was silent for ${silentMs} ms`);
    },
  };
  const server = createApp({
    routes: [],
    rootRoutes: [
      ...createOperationsRoutes({ build, checks: [...checksOf(core, 'worker'), consuming] }),
      ...(await openMetrics(core, scope, build.version)),
    ],
    authenticate: refuseKeys,
    log,
    metrics,
    version: build.version,
    documents: false,
  });
  await scope.defer('HTTP server', () => server.close(requestDrainMs(config)));
  const port = await listen(server, config.host, config.workerPort, 'WORKER_PORT');
  const pausing = await watchConsuming({ sql: core.sql, intervalMs: config.consumingLookMs, log });
  await scope.defer('switch of the consumers', pausing.stop);
  worker = await startIngestWorker(
    {
      isPaused: pausing.isPaused,
      ...core,
      address: `${hostname()}:${port}`,
      groupPrefix: config.kafkaPrefix,
      bulkMembers: config.insertsInFlight,
      shortMembers: 2,
      leaseMs: config.replayLeaseMs,
      dryRunKeptMs: config.dryRunKeptMs,
      columnMergeLookMs: config.columnMergeLookMs,
      sweepIntervalMs: config.sweepIntervalMs,
      receiveTimeoutMs: config.receiveTimeoutMs,
      retentionMs: config.kafkaRetentionMs,
      storageSweepIntervalMs: config.storageSweepIntervalMs,
      segmentGraceMs: config.segmentGraceMs,
      compaction: {
        intervalMs: config.compactionIntervalMs,
        minSegments: config.compactionMinSegments,
        maxBytes: config.compactionMaxBytes,
        foldMinPercent: config.patchFoldMinPercent,
        foldIntervalMs: config.patchFoldIntervalMs,
      },
      pools: {
        maxRows: config.poolMaxRows,
        maxBytes: config.poolMaxBytes,
        dropIntervalMs: config.poolDropIntervalMs,
      },
      patchMaxPercent: config.patchMaxPercent,
    },
    scope,
  );
  await keepSegmentHashes(core, scope);
  const audit = createAuditTrail({ sql: core.sql });
  const trimming = startPeriodic({
    name: 'audit trail and sessions',
    intervalMs: config.storageSweepIntervalMs,
    run: async () => {
      await audit.drop(config.auditRetentionDays);
      await removeEndedSessions(core.sql);
      await removeEndedReads(core.sql);
    },
    log,
  });
  await scope.defer('audit trail', trimming.stop);
  const heartbeat = await startHeartbeat(
    core.sql,
    { kind: 'worker', address: `${hostname()}:${port}`, build, masterKeys: null },
    { intervalMs: config.heartbeatIntervalMs, log },
  );
  await scope.defer('heartbeat', heartbeat.stop);
  log.info({ port }, 'worker ready');
  return { port };
};
