import { randomUUID } from 'node:crypto';
import { createCompactionStore } from '../ingest/maintenance/compaction-store.js';
import { createCompactor } from '../ingest/maintenance/compactor.js';
import { createRetention } from '../ingest/maintenance/retention.js';
import { createStorageSweep } from '../ingest/maintenance/storage-sweep.js';
import { createSweeper, type Sweeper } from '../ingest/maintenance/sweeper.js';
import { createLeases } from '../ingest/processes/leases.js';
import { createProcessStore } from '../ingest/processes/process-store.js';
import { createDeadLetterStore } from '../ingest/repair/dead-letter-store.js';
import { createBadRowBounds } from '../ingest/store/bad-row-bounds.js';
import { createChunkInserter } from '../ingest/store/chunk-inserter.js';
import { createChunkWorker } from '../ingest/store/chunk-worker.js';
import { createReplayer } from '../ingest/store/replayer.js';
import { createSegmentVerifier, type SegmentVerifier } from '../ingest/store/segment-verifier.js';
import { createDigitCounter } from '../ingest/store/stored-digits.js';
import { createMergeStore } from '../ingest/versions/merge-store.js';
import { createMerger, type Merger } from '../ingest/versions/merger.js';
import { createVersionPublisher } from '../ingest/versions/version-publisher.js';
import type { Log } from '../lib/log.js';
import type { Metrics } from '../lib/metrics.js';
import { startPeriodic } from '../lib/periodic.js';
import type { Scope } from '../lib/scope.js';
import type { Lane } from '../model/chunk.js';
import type { ClickHouse } from '../storage/clickhouse/client.js';
import { createSegmentCopier, createSegmentMerger } from '../storage/clickhouse/segment-writes.js';
import type { StoreTables } from '../storage/clickhouse/tables.js';
import type { KafkaConnection } from '../storage/kafka/client.js';
import { type ChunkConsumer, createChunkConsumer } from '../storage/kafka/consume/chunk-consumer.js';
import { createChunkReader } from '../storage/kafka/consume/chunk-reader.js';
import { createDeadLetterProducer } from '../storage/kafka/produce/dead-letters.js';
import { type TopicNames, topicOf } from '../storage/kafka/topics.js';
import type { Sql } from '../storage/postgres/sql.js';

export interface IngestWorkerOptions {
  readonly sql: Sql;
  readonly kafka: KafkaConnection;
  readonly topics: TopicNames;
  readonly clickhouse: ClickHouse;
  readonly tables: StoreTables;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Start of consumer group names. */
  readonly groupPrefix: string;
  /** Chunks of long uploads that are in flight at a time. */
  readonly bulkMembers: number;
  /** Chunks of short uploads that are in flight at a time. */
  readonly shortMembers: number;
  readonly leaseMs: number;
  readonly sweepIntervalMs: number;
  readonly receiveTimeoutMs: number;
  readonly retentionMs: number;
  readonly storageSweepIntervalMs: number;
  readonly segmentGraceMs: number;
  readonly compaction: CompactionSettings;
}

export interface CompactionSettings {
  readonly intervalMs: number;
  /** Fewest segments that are joined; below 2: none are. */
  readonly minSegments: number;
  readonly maxBytes: number;
}

export interface IngestWorker {
  readonly sweeper: Sweeper;
  /** Milliseconds since the epoch of the last sign of life of the consumer that is quiet for longest. */
  lastTickAt(): number;
}

const keepCompacting = async (options: IngestWorkerOptions, scope: Scope): Promise<void> => {
  const { sql, clickhouse, metrics, log, leaseMs, compaction } = options;
  if (compaction.minSegments < 2) return;
  const compactor = createCompactor({
    compactions: createCompactionStore({ sql, leaseMs, log }),
    copier: createSegmentCopier({ clickhouse, log }),
    bounds: { least: compaction.minSegments, maxBytes: compaction.maxBytes },
    onJoined: (segments) => {
      metrics.compactions.inc();
      metrics.segmentsJoined.inc(segments);
    },
    log,
  });
  const rounds = startPeriodic({
    name: 'compaction',
    intervalMs: compaction.intervalMs,
    run: async (stop) => {
      await compactor.compact(stop);
    },
    log,
  });
  await scope.defer('compaction', rounds.stop);
};

/** Starts everything a worker does; the scope stops it, consumers first. */
export const startIngestWorker = async (
  options: IngestWorkerOptions,
  scope: Scope,
): Promise<IngestWorker> => {
  const { sql, kafka, topics, clickhouse, tables, metrics, log } = options;
  const processes = createProcessStore(sql);
  let merger: Merger;
  const publisher = createVersionPublisher({
    sql,
    log,
    onPublished: () => metrics.versionsPublished.inc(),
    startMerge: (processId) => merger.start(processId),
  });
  const bounds = createBadRowBounds({ processes, publisher });
  const leases = createLeases({ sql, owner: randomUUID(), leaseMs: options.leaseMs, log });
  const reader = createChunkReader({ kafka, groupPrefix: options.groupPrefix, log });
  const createInserter = () =>
    createChunkInserter({
      tables,
      log,
      onInserted: (rows, bytes, seconds) => {
        metrics.ingestRows.inc(rows);
        metrics.ingestBytes.inc(bytes);
        metrics.insertSeconds.observe(seconds);
      },
    });

  let verifier: SegmentVerifier;
  const replayer = createReplayer({
    processes,
    leases,
    reader,
    inserter: createInserter(),
    bounds,
    countDigits: createDigitCounter({ sql, clickhouse }),
    verifier: () => verifier,
    publisher,
    onReplay: () => metrics.replays.inc(),
    log,
  });
  verifier = createSegmentVerifier({
    clickhouse,
    processes,
    publisher,
    bounds,
    startReplay: replayer.start,
    onMiscount: () => metrics.segmentsMiscounted.inc(),
    log,
  });

  merger = createMerger({
    sql,
    clickhouse,
    tables,
    segments: createSegmentMerger(clickhouse),
    processes,
    merges: createMergeStore(sql),
    leases,
    publisher: () => publisher,
    startReplay: replayer.start,
    log,
  });

  const parked = createDeadLetterStore(sql);
  const deadLetters = await createDeadLetterProducer({
    kafka,
    topic: topics.parked,
    record: async (message) => {
      const isNew = await parked.record(message);
      if (isNew) metrics.parked.inc();
      log[isNew ? 'error' : 'info']({ ...message.origin, reason: message.reason }, 'message parked');
    },
  });
  await scope.defer('parking', deadLetters.close);

  const storage = createStorageSweep({
    sql,
    tables,
    retention: createRetention({ sql, onDropped: (versions) => metrics.versionsExpired.inc(versions), log }),
    graceMs: options.segmentGraceMs,
    onSegmentsRemoved: (segments) => metrics.segmentsRemoved.inc(segments),
    log,
  });
  const sweeper = createSweeper({
    sql,
    publisher,
    replayer,
    storage,
    intervalMs: options.sweepIntervalMs,
    storageIntervalMs: options.storageSweepIntervalMs,
    receiveTimeoutMs: options.receiveTimeoutMs,
    retentionMs: options.retentionMs,
    log,
  });
  await scope.defer('sweeper', sweeper.close);
  await scope.defer('replays', replayer.close);
  await scope.defer('merges', merger.close);
  await keepCompacting(options, scope);

  const join = async (lane: Lane): Promise<ChunkConsumer> => {
    const handle = createChunkWorker({
      processes,
      inserter: createInserter(),
      bounds,
      verifier,
      publisher,
      replayer,
      log,
    });
    const topic = topicOf(topics, lane);
    const consumer = await createChunkConsumer({
      kafka,
      groupId: `${options.groupPrefix}.${lane}`,
      topic,
      handle,
      deadLetters,
      log,
    });
    await scope.defer(`consumer of ${topic}`, consumer.close);
    return consumer;
  };
  const lanes: Lane[] = [
    ...new Array<Lane>(options.shortMembers).fill('short'),
    ...new Array<Lane>(options.bulkMembers).fill('bulk'),
  ];
  const consumers = await Promise.all(lanes.map(join));
  return { sweeper, lastTickAt: () => Math.min(...consumers.map((consumer) => consumer.lastTickAt())) };
};
