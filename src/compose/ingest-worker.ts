import type { Scope } from '../lib/scope.js';
import { type ChunkTopic, chunkTopics } from '../model/chunk.js';
import { traceChunks } from '../operations/traced-parts.js';
import { countInserted } from '../operations/upload-metrics.js';
import {
  type CrowdedDatasets,
  createColumnJoin,
  createCrowdedDatasets,
  createKeys,
  createMerge,
  createWrite,
  createWritePatch,
} from '../rows/index.js';
import { type ChunkConsumer, createChunkConsumer } from '../storage/kafka/chunk-consumer.js';
import { createChunkReader } from '../storage/kafka/chunk-reader.js';
import { createDeadLetterProducer, type DeadLetterProducer } from '../storage/kafka/dead-letters.js';
import { createTopicReader } from '../storage/kafka/topic-reader.js';
import { createChunkFaults } from '../uploads/insert/chunk-faults.js';
import { createChunkInserter } from '../uploads/insert/chunk-inserter.js';
import { createChunkWorker } from '../uploads/insert/chunk-worker.js';
import { startMembership } from '../uploads/insert/consumer-membership.js';
import type { Consumers } from '../uploads/insert/consumers.js';
import { createReplaySteps } from '../uploads/insert/replay.js';
import { createSegmentVerifier } from '../uploads/insert/segment-verifier.js';
import { createShortBatches } from '../uploads/insert/short-batches.js';
import { createDigitCounter } from '../uploads/insert/stored-digits.js';
import { createChunkRecords } from '../uploads/lifecycle/chunk-records.js';
import type { Dispatcher } from '../uploads/lifecycle/dispatcher.js';
import { createMergeRecords, type MergeRecords } from '../uploads/lifecycle/merge-records.js';
import type { Step } from '../uploads/lifecycle/outcome.js';
import { createProcessRecords } from '../uploads/lifecycle/process-records.js';
import { createDeadLetterRecords } from '../uploads/repair/dead-letter-records.js';
import { createColumnMerge } from '../versions/merge/column-merge.js';
import { createMerger } from '../versions/merge/merger.js';
import type { Core } from './core.js';
import { openDispatcher, poolLimitsOf } from './dispatcher.js';
import { startColumnMerges, startCompaction, startReadCopies, startSweeps } from './ingest-maintenance.js';

interface IngestWorkerParts {
  readonly consumers: Consumers;
  /** Host and port of the health check of this worker. */
  readonly address: string;
  /** True: chunks stay in Kafka. */
  readonly isPaused: () => boolean;
}

/** Consumers for short uploads, and chunks of one partition that are handled concurrently. */
const [shortMembers, shortAtOnce] = [2, 64];

const createInserterOf =
  ({ clickhouse, tables, metrics, log }: Core) =>
  () =>
    createChunkInserter({
      write: createWrite(clickhouse, tables),
      log,
      onInserted: countInserted(metrics),
    });

/** The step of every process in phase `merge`, for uploads and for columns. */
const createMergeStep = (core: Core, merges: MergeRecords, crowded: CrowdedDatasets): Step => {
  const { config, clickhouse, tables } = core;
  const columnJoin = createColumnJoin(clickhouse, tables);
  const write = createWrite(clickhouse, tables);
  const poolLimits = poolLimitsOf(config);
  return createMerger({
    ...core,
    keys: createKeys(clickhouse),
    writeMerge: createMerge(clickhouse, tables),
    writePatch: createWritePatch(clickhouse, tables),
    mergeColumns: createColumnMerge({ clickhouse, write, columnJoin, merges, poolLimits }),
    merges,
    write,
    poolLimits,
    patchMaxPercent: config.patchMaxPercent,
    patchMaxRows: config.patchMaxRows,
    onManyPatches: crowded.add,
  });
};

/** The dispatcher with all steps of a worker. */
const openWorkerDispatcher = (core: Core, crowded: CrowdedDatasets): Dispatcher => {
  const { config, sql, kafka, clickhouse, tables, leases, metrics, log } = core;
  const processes = createProcessRecords(sql);
  const chunks = createChunkRecords(sql);
  const merges = createMergeRecords(sql);
  return openDispatcher(core, {
    chunks,
    merges,
    leases,
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
        reader: createChunkReader(createTopicReader({ kafka, groupPrefix: config.kafkaPrefix, log })),
        createInserter: createInserterOf(core),
        countDigits: createDigitCounter({ sql, clickhouse }),
        onReplay: () => metrics.replays.inc(),
      }),
      merge: createMergeStep(core, merges, crowded),
    },
  });
};

const openDeadLetterProducer = async (
  { sql, kafka, topics, metrics, log }: Core,
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

/** Starts all parts of a worker. The scope stops them, consumers first. */
export const startIngestWorker = async (
  core: Core,
  scope: Scope,
  { consumers, address, isPaused }: IngestWorkerParts,
): Promise<void> => {
  const { config, sql, kafka, topics, metrics, tracing, log } = core;
  const crowded = createCrowdedDatasets();
  const dispatcher = openWorkerDispatcher(core, crowded);
  const deadLetters = await openDeadLetterProducer(core, scope);
  await startSweeps(core, dispatcher, scope);
  await scope.defer('uploads in the background', dispatcher.close);
  await startColumnMerges(core, dispatcher, scope);
  await startCompaction(core, crowded, scope);
  await startReadCopies(core, scope);

  const membership = await startMembership({ ...core, address }, scope);
  const trace = traceChunks(tracing);
  const batches = createShortBatches({
    trace,
    processes: createProcessRecords(sql),
    write: createWrite(core.clickhouse, core.tables),
    dispatcher,
    onInserted: countInserted(metrics),
    log,
  });
  const faults = createChunkFaults({ processes: createProcessRecords(sql), dispatcher, deadLetters, log });
  await scope.defer('consumers', consumers.close);
  const groupOf = (topic: ChunkTopic): string => `${config.kafkaPrefix}.${topic}`;
  const join = (topic: ChunkTopic): Promise<ChunkConsumer> => {
    const group = groupOf(topic);
    return createChunkConsumer({
      kafka,
      groupId: group,
      topicName: topics[topic],
      handle: createChunkWorker({
        processes: createProcessRecords(sql),
        chunks: createChunkRecords(sql),
        inserter: createInserterOf(core)(),
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
      isPaused,
      log,
    });
  };
  // Initialized at the start, so that the first event of each kind is an increase.
  for (const topic of chunkTopics) {
    metrics.pipeline.chunkRetries.inc({ group: groupOf(topic) }, 0);
    metrics.pipeline.rebalances.inc({ group: groupOf(topic) }, 0);
  }
  const memberTopics: ChunkTopic[] = [
    ...new Array<ChunkTopic>(shortMembers).fill('short'),
    ...new Array<ChunkTopic>(config.insertsInFlight).fill('bulk'),
  ];
  await Promise.all(memberTopics.map((topic) => consumers.start(() => join(topic))));
  consumers.ready();
  await scope.defer('batches of short uploads', batches.close);
};
