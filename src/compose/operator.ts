import type { Config } from '../config.js';
import { createChunkStore } from '../ingest/lifecycle/chunk-store.js';
import { createProcessStore } from '../ingest/lifecycle/process-store.js';
import { createRetryStore } from '../ingest/lifecycle/retry-store.js';
import { createCompactionStore } from '../ingest/maintenance/compaction-store.js';
import { createChunkDiscovery } from '../ingest/repair/chunk-discovery.js';
import { createDeadLetterStore } from '../ingest/repair/dead-letter-store.js';
import { createDeadLetters, type DeadLetters } from '../ingest/repair/dead-letters.js';
import { createSegmentRewrite } from '../ingest/repair/segment-rewrite.js';
import { createUploadReplay, type UploadReplay } from '../ingest/repair/upload-replay.js';
import { createChunkInserter } from '../ingest/store/chunk-inserter.js';
import type { Log } from '../lib/log.js';
import type { Scope } from '../lib/scope.js';
import { createClickHouse } from '../storage/clickhouse/client.js';
import { createStoreTables } from '../storage/clickhouse/tables.js';
import { createKafka } from '../storage/kafka/client.js';
import { createChunkReader } from '../storage/kafka/consume/chunk-reader.js';
import { createTopicScan } from '../storage/kafka/consume/topic-scan.js';
import { returnToLane } from '../storage/kafka/produce/requeue.js';
import { topicNames } from '../storage/kafka/topics.js';
import type { Sql } from '../storage/postgres/sql.js';
import { required } from './core.js';

/** What an operator's command stands on. */
export interface OperatorParts {
  readonly config: Config;
  readonly log: Log;
  readonly scope: Scope;
  readonly sql: Sql;
}

const openKafka = ({ config, log }: OperatorParts) => {
  const kafka = createKafka({
    settings: config,
    clientId: `${config.kafkaPrefix}-admin`,
    log,
  });
  const scan = createTopicScan({ kafka, groupPrefix: config.kafkaPrefix, log });
  return { kafka, scan, topics: topicNames(config.kafkaPrefix) };
};

/** Parked messages, for commands of an operator. */
export const openDeadLetters = (parts: OperatorParts): DeadLetters => {
  const { sql } = parts;
  const { kafka, scan } = openKafka(parts);
  return createDeadLetters({
    sql,
    store: createDeadLetterStore(sql),
    scan,
    processes: createProcessStore(sql),
    giveBack: (message, { id, origin }) => returnToLane(kafka, message, origin, id),
  });
};

/** The replay of uploads, for commands of an operator; beside workers that run. */
export const openUploadReplay = async (parts: OperatorParts): Promise<UploadReplay> => {
  const { config, log, scope, sql } = parts;
  const { kafka, scan, topics } = openKafka(parts);
  const clickhouse = createClickHouse({
    url: required(config.clickhouseUrl, 'CLICKHOUSE_URL'),
    database: config.clickhouseDatabase,
  });
  await scope.defer('ClickHouse connections', clickhouse.close);
  const processes = createProcessStore(sql);
  const chunks = createChunkStore(sql);
  const rewrite = createSegmentRewrite({
    sql,
    clickhouse,
    processes,
    chunks,
    compactions: createCompactionStore({ sql, leaseMs: config.replayLeaseMs, log }),
    reader: createChunkReader({ kafka, groupPrefix: config.kafkaPrefix, log }),
    inserter: createChunkInserter({
      tables: createStoreTables(clickhouse),
      log,
      onInserted: (rows) => log.debug({ rows }, 'chunk written anew'),
    }),
  });
  const chunkDiscovery = createChunkDiscovery({
    scan,
    topics: [topics.short, topics.bulk],
    processes,
    chunks,
  });
  return createUploadReplay({ retries: createRetryStore(sql), processes, chunkDiscovery, rewrite });
};
