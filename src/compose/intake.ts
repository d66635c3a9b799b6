import { createProcessStore } from '../ingest/processes/process-store.js';
import { createLayoutProposal } from '../ingest/receive/layout-proposal.js';
import { createReceiver } from '../ingest/receive/receiver.js';
import { createUploadAdmission, withAdmission } from '../ingest/receive/upload-admission.js';
import { createVersionPublisher } from '../ingest/versions/version-publisher.js';
import { AppError } from '../lib/errors.js';
import type { Scope } from '../lib/scope.js';
import { createSlots, type Slots } from '../lib/slots.js';
import { createBacklogMonitor } from '../storage/kafka/backlog/backlog-monitor.js';
import { createChunkProducer } from '../storage/kafka/produce/chunk-producer.js';
import { countPartitions } from '../storage/kafka/topics.js';
import type { Core } from './core.js';

/** Uploads that wait for a place; each holds an open connection whose body nobody reads. */
const uploadsQueued = 1_000;

/** Places for uploads; whoever holds the fewest is next. */
export const createUploadSlots = (places: number): Slots =>
  createSlots({
    places,
    queueLength: uploadsQueued,
    refuse: () =>
      new AppError(
        'unavailable',
        'no_upload_slot',
        'Too many uploads wait at the moment; try again shortly.',
        {
          retryAfterSeconds: 10,
        },
      ),
  });

/** The parts of the API that take uploads in. */
export const createIntakePart = async (core: Core, scope: Scope) => {
  const { config, log, sql, kafka, topics, metrics } = core;
  const producer = await createChunkProducer({
    kafka,
    topics,
    partitions: await countPartitions(kafka, topics.bulk),
    patienceMs: config.sendPatienceMs,
    log,
  });
  await scope.defer('producer', producer.close);
  const admission = createUploadAdmission({
    sql,
    lanes: createBacklogMonitor({ kafka, topics, groupPrefix: config.kafkaPrefix, ageShare: 0.5, log }),
    intervalMs: config.backlogLookMs,
    patienceMs: config.sendPatienceMs,
    onLook: (uses) => {
      for (const { lane, backlogBytes } of uses) metrics.backlogBytes.set({ lane }, backlogBytes);
    },
    onRefused: (reason) => metrics.uploadsRefused.inc({ reason }),
    log,
  });
  await scope.defer('looks at Kafka', admission.close);
  const processes = createProcessStore(sql);
  const publisher = createVersionPublisher({
    sql,
    log,
    onPublished: () => metrics.versionsPublished.inc(),
  });
  const receiver = createReceiver({
    processes,
    proposal: createLayoutProposal(sql),
    publisher,
    producer: withAdmission(producer, admission),
    admission,
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
    heartbeatMs: Math.floor(config.receiveTimeoutMs / 6),
    log,
  });
  return { processes, receiver, publisher };
};
