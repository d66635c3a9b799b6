import type { Scope } from '../lib/scope.js';
import { traceIdOf } from '../lib/tracing.js';
import { traceReceiver } from '../operations/traced-parts.js';
import { showBacklog } from '../operations/upload-metrics.js';
import { createEverywhere } from '../rows/index.js';
import { openBacklogMonitor } from '../storage/kafka/backlog.js';
import { createChunkProducer } from '../storage/kafka/chunk-producer.js';
import { createChunkRecords } from '../uploads/lifecycle/chunk-records.js';
import { createProcessRecords } from '../uploads/lifecycle/process-records.js';
import { createReservations } from '../uploads/lifecycle/reservations.js';
import { isStoreWritten } from '../uploads/lifecycle/store-writers.js';
import { createAcceptanceLimit } from '../uploads/receive/acceptance-limit.js';
import { createAccountWindows } from '../uploads/receive/account-windows.js';
import { createLayoutProposal } from '../uploads/receive/layout-proposal.js';
import { createReceiver } from '../uploads/receive/receiver.js';
import { createUploadAdmission } from '../uploads/receive/upload-admission.js';
import { createUploadSemaphore } from '../uploads/receive/upload-semaphore.js';
import type { Core } from './core.js';
import { openDispatcher, poolLimitsOf } from './dispatcher.js';

/** The parts of the API that receive uploads. */
export const createUploadPart = async (core: Core, scope: Scope) => {
  const { config, log, sql, kafka, topics, metrics, tables, tracing } = core;
  const backlog = await openBacklogMonitor({
    kafka,
    topics,
    groupPrefix: config.kafkaPrefix,
    ageShare: 0.5,
    // Earlier by one probe interval, since a chunk that is not late yet may be late at the next probe.
    lateMs: Math.max(500 * config.maxBacklogSeconds, 1000 * config.maxBacklogSeconds - config.backlogProbeMs),
    log,
  });
  const producer = await createChunkProducer({
    kafka,
    topics,
    partitions: backlog.partitions,
    maxMessageBytes: config.maxMessageBytes,
    patienceMs: config.sendPatienceMs,
    traceHeaders: tracing.carry,
    log,
  });
  await scope.defer('producer', producer.close);
  const admission = createUploadAdmission({
    sql,
    monitor: backlog,
    intervalMs: config.backlogProbeMs,
    patienceMs: config.sendPatienceMs,
    maxWaitSeconds: config.maxBacklogSeconds,
    onProbe: showBacklog(metrics),
    onRefused: (reason) => metrics.uploadsRefused.inc({ reason }),
    log,
  });
  await scope.defer('Kafka probes', admission.close);
  const windows = createAccountWindows({
    chunks: () => config.chunksAhead ?? backlog.partitions('bulk'),
    handled: createChunkRecords(sql).handled,
    log,
  });
  await scope.defer('windows of accounts', windows.close);
  const processes = createProcessRecords(sql);
  const dispatcher = openDispatcher(core);
  const reservations = createReservations(sql, {
    keptMs: config.reservationMs,
    perAccount: config.reservationsPerAccount,
  });
  const acceptanceLimit = createAcceptanceLimit(config.databasePool);
  const receiver = createReceiver({
    processes,
    reservations,
    proposal: createLayoutProposal(sql, acceptanceLimit),
    acceptanceLimit,
    dispatcher,
    producer,
    admission,
    windows,
    limits: {
      maxBytes: config.uploadMaxBytes,
      maxCompressedBytes: config.uploadMaxCompressedBytes,
      maxRatio: config.uploadMaxRatio,
      idleMs: config.uploadIdleMs,
      minBytesPerSecond: config.uploadMinBytesPerSecond,
    },
    firstChunkBytes: config.firstChunkBytes,
    chunkBytes: config.chunkBytes,
    maxRecordBytes: config.maxRecordBytes,
    traceId: () => traceIdOf(tracing.carry()),
    poolLimits: poolLimitsOf(config),
    everywhere:
      config.clickhouseCluster === undefined
        ? undefined
        : createEverywhere({
            sql,
            tables,
            clickhouse: core.clickhouse,
            isWritten: isStoreWritten,
            minBytes: config.spreadMinBytes,
            log,
          }),
    requireServed: core.requireServed,
    heartbeatMs: Math.min(config.progressIntervalMs, Math.floor(config.receiveTimeoutMs / 6)),
    log,
  });
  const semaphore = createUploadSemaphore({
    maxRunning: config.maxUploadsInFlight,
    onRefused: (what) => metrics.permitsRefused.inc({ kind: 'uploads', what }),
  });
  metrics.watchSemaphore('uploads', semaphore);
  return { processes, reservations, receiver: traceReceiver(receiver, tracing), dispatcher, semaphore };
};
