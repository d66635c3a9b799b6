import { uploadRefusals } from '../catalog/upload-rights.js';
import type { Scope } from '../lib/scope.js';
import type { Tracing } from '../lib/tracing.js';
import { type ChunkTopic, chunkTopics } from '../model/chunk.js';
import { traceChunks, tracePublisher } from '../operations/traced-parts.js';
import { countInserted, countsOfUploads } from '../operations/upload-metrics.js';
import { createWrite } from '../rows/index.js';
import { type ChunkConsumer, createChunkConsumer } from '../storage/kafka/chunk-consumer.js';
import { createChunkReader } from '../storage/kafka/chunk-reader.js';
import type { KafkaConnection } from '../storage/kafka/connection.js';
import { createDeadLetterProducer, type DeadLetterProducer } from '../storage/kafka/dead-letters.js';
import { createTopicReader } from '../storage/kafka/topic-reader.js';
import type { TopicNames } from '../storage/kafka/topics.js';
import { createChunkFaults } from '../uploads/insert/chunk-faults.js';
import { createChunkInserter } from '../uploads/insert/chunk-inserter.js';
import { createChunkWorker } from '../uploads/insert/chunk-worker.js';
import type { Consumers } from '../uploads/insert/consumers.js';
import { createReplaySteps } from '../uploads/insert/replay.js';
import { createSegmentVerifier } from '../uploads/insert/segment-verifier.js';
import { createShortBatches } from '../uploads/insert/short-batches.js';
import { createDigitCounter } from '../uploads/insert/stored-digits.js';
import { createChunkRecords } from '../uploads/lifecycle/chunk-records.js';
import { createDispatcher, type Dispatcher } from '../uploads/lifecycle/dispatcher.js';
import { createMergeRecords } from '../uploads/lifecycle/merge-records.js';
import { createProcessRecords } from '../uploads/lifecycle/process-records.js';
import { createPublisher } from '../uploads/lifecycle/publisher.js';
import { createTransitionRecords } from '../uploads/lifecycle/transition-records.js';
import { createDeadLetterRecords } from '../uploads/repair/dead-letter-records.js';
import { createPlainAppend } from '../versions/merge/plain-append.js';
import { type ColumnMergeSettings, createMergeStep, keepMergingColumns } from './column-merges.js';
import { startMembership } from './consumer-membership.js';
import { startCompaction, startSweeps } from './ingest-maintenance.js';

export interface IngestWorkerOptions extends ColumnMergeSettings {
  readonly consumers: Consumers;
  readonly kafka: KafkaConnection;
  readonly topics: TopicNames;
  readonly tracing: Tracing;
  /** Host and port at which this worker tells of its health. */
  readonly address: string;
  /** Start of consumer group names. */
  readonly groupPrefix: string;
  /** Chunks of long uploads that are in flight at a time. */
  readonly bulkMembers: number;
  /** Chunks of short uploads that are in flight at a time. */
  readonly shortMembers: number;
  readonly dryRunKeptMs: number;
  /** True: chunks wait in Kafka. */
  readonly isPaused: () => boolean;
}

/** Chunks of a partition that a member of the short topic takes together. */
const shortAtOnce = 64;

const createInserterOf = (options: IngestWorkerOptions) => () =>
  createChunkInserter({
    write: createWrite(options.clickhouse, options.tables),
    log: options.log,
    onInserted: countInserted(options.metrics),
  });

/** The dispatcher with every step that a worker takes. */
const createWorkerDispatcher = (options: IngestWorkerOptions): Dispatcher => {
  const { sql, kafka, clickhouse, tables, metrics, log } = options;
  const processes = createProcessRecords(sql);
  const chunks = createChunkRecords(sql);
  const merges = createMergeRecords(sql);
  return createDispatcher({
    processes,
    transitions: createTransitionRecords(sql),
    publisher: tracePublisher(
      createPublisher({
        sql,
        findRefusals: uploadRefusals,
        dryRunKeptMs: options.dryRunKeptMs,
        joinPlainly: createPlainAppend(options.pools),
      }),
      options.tracing,
    ),
    work: {
      chunks,
      merges,
      leases: options.leases,
      verify: createSegmentVerifier({
        write: createWrite(clickhouse, tables),
        processes,
        onMiscount: () => metrics.segmentsMiscounted.inc(),
        log,
      }),
      steps: {
        ...createReplaySteps({
          processes,
          chunks,
          reader: createChunkReader(createTopicReader({ kafka, groupPrefix: options.groupPrefix, log })),
          createInserter: createInserterOf(options),
          countDigits: createDigitCounter({ sql, clickhouse }),
          onReplay: () => metrics.replays.inc(),
        }),
        merge: createMergeStep(options, merges),
      },
    },
    ...countsOfUploads(metrics),
    log,
  });
};

const openDeadLetterProducer = async (
  { sql, kafka, topics, metrics, log }: IngestWorkerOptions,
  scope: Scope,
): Promise<DeadLetterProducer> => {
  const records = createDeadLetterRecords(sql);
  const deadLetters = await createDeadLetterProducer({
    kafka,
    topicName: topics.deadLetters,
    record: async (message) => {
      const isNew = await records.record(message);
      if (isNew) metrics.deadLetters.inc();
      log[isNew ? 'error' : 'info']({ ...message.origin, reason: message.reason }, 'dead letter');
    },
  });
  await scope.defer('dead letters', deadLetters.close);
  return deadLetters;
};

/** Starts everything a worker does; the scope stops it, consumers first. */
export const startIngestWorker = async (options: IngestWorkerOptions, scope: Scope): Promise<void> => {
  const { sql, kafka, topics, metrics, log, consumers } = options;
  const dispatcher = createWorkerDispatcher(options);
  const deadLetters = await openDeadLetterProducer(options, scope);
  await startSweeps(options, dispatcher, scope);
  await scope.defer('uploads in the background', dispatcher.close);
  await keepMergingColumns(options, dispatcher, scope);
  await startCompaction(options, scope);

  const membership = await startMembership(options, scope);
  const trace = traceChunks(options.tracing);
  const batches = createShortBatches({
    trace,
    processes: createProcessRecords(sql),
    write: createWrite(options.clickhouse, options.tables),
    dispatcher,
    onInserted: countInserted(options.metrics),
    log,
  });
  const faults = createChunkFaults({ processes: createProcessRecords(sql), dispatcher, deadLetters, log });
  await scope.defer('consumers', consumers.close);
  const join = (topic: ChunkTopic): Promise<ChunkConsumer> => {
    const topicName = topics[topic];
    const group = `${options.groupPrefix}.${topic}`;
    return createChunkConsumer({
      kafka,
      groupId: group,
      topicName,
      handle: createChunkWorker({
        processes: createProcessRecords(sql),
        chunks: createChunkRecords(sql),
        inserter: createInserterOf(options)(),
        dispatcher,
        faults,
        topic,
        trace,
        log,
        ...(topic === 'short' ? { batches } : {}),
      }),
      atOnce: topic === 'short' ? shortAtOnce : 1,
      deadLetters,
      onRetry: () => metrics.pipeline.chunkRetries.inc({ group }),
      onJoin: (memberId) => membership.joined({ groupId: group, memberId }),
      onRebalance: () => metrics.pipeline.rebalances.inc({ group }),
      isPaused: options.isPaused,
      log,
    });
  };
  // Known from the start, so that the first of each is a rise.
  for (const topic of chunkTopics) {
    metrics.pipeline.chunkRetries.inc({ group: `${options.groupPrefix}.${topic}` }, 0);
    metrics.pipeline.rebalances.inc({ group: `${options.groupPrefix}.${topic}` }, 0);
  }
  const memberTopics: ChunkTopic[] = [
    ...new Array<ChunkTopic>(options.shortMembers).fill('short'),
    ...new Array<ChunkTopic>(options.bulkMembers).fill('bulk'),
  ];
  await Promise.all(memberTopics.map((topic) => consumers.start(() => join(topic))));
  consumers.ready();
  await scope.defer('batches of short uploads', batches.close);
};
