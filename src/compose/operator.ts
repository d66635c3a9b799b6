import { createCompactions, createWrite } from '../rows/index.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import { createChunkReader } from '../storage/kafka/chunk-reader.js';
import { createKafka } from '../storage/kafka/connection.js';
import { requeue } from '../storage/kafka/dead-letters.js';
import { createTopicReader } from '../storage/kafka/topic-reader.js';
import { topicNames } from '../storage/kafka/topics.js';
import { createChunkInserter } from '../uploads/insert/chunk-inserter.js';
import { createChunkRecords } from '../uploads/lifecycle/chunk-records.js';
import { createProcessRecords } from '../uploads/lifecycle/process-records.js';
import { createRetryRecords } from '../uploads/lifecycle/retry-records.js';
import { createChunkDiscovery } from '../uploads/repair/chunk-discovery.js';
import { createDeadLetterRecords } from '../uploads/repair/dead-letter-records.js';
import { createDeadLetters, type DeadLetters } from '../uploads/repair/dead-letters.js';
import { createSegmentRewrite } from '../uploads/repair/segment-rewrite.js';
import { createUploadReplay, type UploadReplay } from '../uploads/repair/upload-replay.js';
import { openServers } from './clickhouse-servers.js';
import type { Core } from './core.js';
import { openLeases } from './jobs.js';
import type { CommandParts } from './parts.js';

/** Dependencies of operator actions, for commands and for the API, while workers run. */
type Standing = Pick<Core, 'config' | 'log' | 'sql' | 'kafka' | 'topics'>;

const readerOf = ({ config, log, kafka }: Standing) =>
  createTopicReader({ kafka, groupPrefix: config.kafkaPrefix, log });

/** Dead letters, for operators. */
export const createOperatorDeadLetters = (standing: Standing): DeadLetters => {
  const { sql, kafka } = standing;
  return createDeadLetters({
    sql,
    records: createDeadLetterRecords(sql),
    reader: readerOf(standing),
    processes: createProcessRecords(sql),
    sendBack: (message, { id, origin }) => requeue(kafka, message, origin, id),
  });
};

/** Replay of uploads, for operators. */
export const createOperatorReplay = (
  standing: Standing & { readonly clickhouse: ClickHouseServers },
): UploadReplay => {
  const { log, sql, topics, clickhouse } = standing;
  const reader = readerOf(standing);
  const write = createWrite(clickhouse);
  const processes = createProcessRecords(sql);
  const chunks = createChunkRecords(sql);
  const rewrite = createSegmentRewrite({
    sql,
    clickhouse,
    processes,
    chunks,
    compactions: createCompactions({ sql, leases: openLeases(standing) }),
    reader: createChunkReader(reader),
    inserter: createChunkInserter({
      write,
      log,
      onInserted: (rows) => log.debug({ rows }, 'chunk written again'),
    }),
    write,
  });
  const chunkDiscovery = createChunkDiscovery({
    reader,
    topics: [topics.short, topics.bulk],
    processes,
    chunks,
  });
  return createUploadReplay({ retries: createRetryRecords(sql), processes, chunkDiscovery, rewrite });
};

const standingOf = (parts: CommandParts): Standing => {
  const { config, log } = parts;
  const kafka = createKafka({ settings: config, clientId: `${config.kafkaPrefix}-admin`, log });
  return { ...parts, kafka, topics: topicNames(config.kafkaPrefix) };
};

/** Dead letters, for commands of an operator. */
export const openDeadLetters = (parts: CommandParts): DeadLetters =>
  createOperatorDeadLetters(standingOf(parts));

/** Replay of uploads, for commands of an operator. */
export const openUploadReplay = async (parts: CommandParts): Promise<UploadReplay> => {
  const clickhouse = await openServers(parts);
  return createOperatorReplay({ ...standingOf(parts), clickhouse });
};
