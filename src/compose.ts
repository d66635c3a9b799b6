import type { Config } from './config.js';
import { AppError } from './lib/errors.js';
import type { Log } from './lib/log.js';
import { createMetrics, type Metrics } from './lib/metrics.js';
import type { Scope } from './lib/scope.js';
import { type ClickHouse, createClickHouse } from './storage/clickhouse/client.js';
import { createStoreTables, ensureDatabase, type StoreTables } from './storage/clickhouse/store-table.js';
import { createKafka, type KafkaConnection } from './storage/kafka/client.js';
import { ensureTopics, type TopicNames, topicNames } from './storage/kafka/topics.js';
import { createPool } from './storage/postgres/pool.js';
import { createSql, type Sql } from './storage/postgres/sql.js';

/** What both entries stand on. */
export interface Core {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly sql: Sql;
  readonly kafka: KafkaConnection;
  readonly topics: TopicNames;
  readonly clickhouse: ClickHouse;
  readonly tables: StoreTables;
}

const required = <T>(value: T | undefined, variable: string): T => {
  if (value !== undefined) return value;
  throw new AppError('invalid', 'bad_configuration', `${variable} is not set (npm start runs embedded components)`);
};

export const openDatabase = async (config: Config, log: Log, scope: Scope): Promise<Sql> => {
  const databaseUrl = required(config.databaseUrl, 'DATABASE_URL');
  const pool = createPool({ databaseUrl, maxConnections: config.databasePool, log });
  await scope.defer('database pool', () => pool.end());
  return createSql(pool);
};

/** Connects to PostgreSQL, Kafka and ClickHouse; makes the topics and the database that are missing. */
export const connect = async (config: Config, log: Log, scope: Scope): Promise<Core> => {
  const brokers = required(config.kafkaBrokers, 'KAFKA_BROKERS');
  const url = required(config.clickhouseUrl, 'CLICKHOUSE_URL');
  const sql = await openDatabase(config, log, scope);

  const clickhouse = createClickHouse({ url, database: config.clickhouseDatabase });
  await scope.defer('ClickHouse connections', clickhouse.close);
  await ensureDatabase(clickhouse);

  const kafka = createKafka({ brokers, clientId: config.kafkaPrefix, log });
  const topics = topicNames(config.kafkaPrefix);
  await ensureTopics(kafka, topics, {
    partitions: config.kafkaPartitions,
    replication: config.kafkaReplication,
    retentionMs: config.kafkaRetentionMs,
    retentionBytes: config.kafkaRetentionBytes,
    maxMessageBytes: config.maxMessageBytes,
  });
  const metrics = createMetrics({ defaults: true });
  return { config, log, metrics, sql, kafka, topics, clickhouse, tables: createStoreTables(clickhouse) };
};

/** Longest silence of a consumer that still counts as alive: several empty fetches. */
const consumerSilenceMs = 30_000;

const checksOf = ({ sql, clickhouse }: Core): Check[] => [
  {
    name: 'database',
    run: async () => {
      await sql.query('SELECT 1');
    },
  },
  {
    name: 'clickhouse',
    run: async () => {
      if (!(await clickhouse.ping())) throw new Error('ClickHouse does not answer');
    },
  },
];

/** The worker: consumers, replays, sweeps, and a small HTTP server for its health. */
export const createWorkerProcess = async (
  config: Config,
  log: Log,
  scope: Scope,
  version: string,
): Promise<void> => {
  const core = await connect(config, log, scope);
  const { metrics } = core;
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
    rootRoutes: createOperationsRoutes({ version, metrics, checks: [...checksOf(core), consuming] }),
    authenticate: refuseKeys,
    log,
    metrics,
    version,
    documents: false,
  });
  await scope.defer('HTTP server', () => server.close(config.drainTimeoutMs));
  const port = await listen(server, config.host, config.workerPort, 'WORKER_PORT');
  worker = await startIngestWorker(
    {
      ...core,
      groupPrefix: config.kafkaPrefix,
      bulkMembers: config.insertsInFlight,
      shortMembers: 2,
      leaseMs: config.replayLeaseMs,
      sweepIntervalMs: config.sweepIntervalMs,
      receiveTimeoutMs: config.receiveTimeoutMs,
      retentionMs: config.kafkaRetentionMs,
    },
    scope,
  );
  log.info({ port }, 'worker ready');
};
