import { createAccess } from './catalog/access.js';
import { createAuthenticator } from './catalog/authenticator.js';
import type { Config } from './config.js';
import { createApp } from './http/app.js';
import { type Check, createOperationsRoutes } from './http/routes/operations.js';
import { createProcessRoutes } from './http/routes/processes.js';
import { createUploadRoutes } from './http/routes/uploads.js';
import type { HttpServer } from './http/server.js';
import { type IngestWorker, startIngestWorker } from './ingest/ingest-worker.js';
import { createProcessStore } from './ingest/process-store.js';
import { createReceiver } from './ingest/receiver.js';
import { createVersionPublisher } from './ingest/version-publisher.js';
import { AppError } from './lib/errors.js';
import type { Log } from './lib/log.js';
import { createMetrics, type Metrics } from './lib/metrics.js';
import type { Scope } from './lib/scope.js';
import { createSlots } from './lib/slots.js';
import { type ClickHouse, createClickHouse } from './storage/clickhouse/client.js';
import { createStoreTables, ensureDatabase, type StoreTables } from './storage/clickhouse/store-table.js';
import { createChunkProducer } from './storage/kafka/chunk-producer.js';
import { createKafka, type KafkaConnection } from './storage/kafka/client.js';
import { countPartitions, ensureTopics, type TopicNames, topicNames } from './storage/kafka/topics.js';
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
  throw new AppError(
    'invalid',
    'bad_configuration',
    `${variable} is not set (npm start runs embedded components)`,
  );
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

/** @throws AppError with one clear line when the port is occupied. */
const listen = async (server: HttpServer, host: string, port: number, variable: string): Promise<number> => {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new AppError(
      'unavailable',
      'port_occupied',
      `port ${port} is occupied: set ${variable} to another port`,
    );
  }
};

/** A worker's HTTP server has no route that takes a key. */
const refuseKeys = async (): Promise<never> => {
  throw new AppError('unauthenticated', 'no_keys_here', 'This address takes no API keys.');
};

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

/** The parts of the API that take uploads in. */
const createIntake = async (core: Core, scope: Scope) => {
  const { config, log, sql, kafka, topics, metrics } = core;
  const producer = await createChunkProducer({
    kafka,
    topics,
    partitions: await countPartitions(kafka, topics.bulk),
    patienceMs: config.sendPatienceMs,
    log,
  });
  await scope.defer('producer', producer.close);
  const processes = createProcessStore(sql);
  const receiver = createReceiver({
    processes,
    publisher: createVersionPublisher({ sql, log, onPublished: () => metrics.versionsPublished.inc() }),
    producer,
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
  return { processes, receiver };
};

/** The API: the REST service. */
export const createApiProcess = async (
  config: Config,
  log: Log,
  scope: Scope,
  version: string,
): Promise<void> => {
  const core = await connect(config, log, scope);
  const { metrics, sql } = core;
  const access = createAccess({ sql });
  const { processes, receiver } = await createIntake(core, scope);
  const server: HttpServer = createApp({
    routes: [
      ...createUploadRoutes({ access, receiver, slots: createSlots(config.maxUploadsInFlight) }),
      ...createProcessRoutes({ access, processes }),
    ],
    rootRoutes: createOperationsRoutes({
      version,
      metrics,
      checks: checksOf(core),
      draining: () => server.draining,
    }),
    authenticate: createAuthenticator({ sql }),
    log,
    metrics,
    version,
    trustProxy: config.trustProxy,
  });
  await scope.defer('HTTP server', () => server.close(config.drainTimeoutMs));
  const port = await listen(server, config.host, config.port, 'PORT');
  log.info({ port }, 'API ready');
};
