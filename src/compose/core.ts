import type { Config } from '../config.js';
import { explainConnection } from '../lib/connection-faults.js';
import type { Log } from '../lib/log.js';
import { createMetrics, type Metrics } from '../lib/metrics/metrics.js';
import type { Scope } from '../lib/scope.js';
import type { Tracing } from '../lib/tracing.js';
import { traceClickHouse } from '../operations/traced-parts.js';
import { createRowTables, type RequireServed, type RowTables, reportUnservedStores } from '../rows/index.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import { createKafka, type KafkaConnection } from '../storage/kafka/connection.js';
import { explainRefusal } from '../storage/kafka/refusal.js';
import { ensureTopics, type TopicNames, topicNames } from '../storage/kafka/topics.js';
import { createDatabaseWatchdog, createPool } from '../storage/postgres/pool.js';
import { requireSchema } from '../storage/postgres/schema.js';
import { createSql, type Sql } from '../storage/postgres/sql.js';
import { openServers } from './clickhouse-servers.js';
import { openJobs, type ProcessJobs } from './jobs.js';
import { required } from './parts.js';
import { openTracing } from './tracing.js';

/** Dependencies of the API and the worker. */
export interface Core extends ProcessJobs {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly sql: Sql;
  readonly kafka: KafkaConnection;
  readonly topics: TopicNames;
  readonly clickhouse: ClickHouseServers;
  readonly tables: RowTables;
  /** Refuses uploads that could not be stored; undefined: every dataset can be stored. */
  readonly requireServed: RequireServed | undefined;
  readonly tracing: Tracing;
}

/** Milliseconds between checks of the configured shards. A statement that finds a new shard checks at once. */
const shardsCheckMs = 10_000;

export const openDatabase = async (config: Config, log: Log, scope: Scope): Promise<Sql> => {
  const databaseUrl = required(config.databaseUrl, 'DATABASE_URL');
  const { databasePool: maxConnections, componentSilenceMs: silenceMs } = config;
  const pool = createPool({ databaseUrl, maxConnections, connectMs: silenceMs, log });
  await scope.defer('database pool', () => pool.end());
  const watchdog = createDatabaseWatchdog({ databaseUrl, silenceMs });
  await scope.defer('database watchdog', watchdog.close);
  return createSql(pool, watchdog);
};

/** Connects to PostgreSQL, Kafka and ClickHouse, and creates missing topics and the database. */
export const connect = async (
  config: Config,
  log: Log,
  scope: Scope,
  of: { readonly name: 'api' | 'worker'; readonly version: string },
): Promise<Core> => {
  const tracing = await openTracing(config, { ...of, log }, scope);
  const sql = await openDatabase(config, log, scope);
  await explainConnection('DATABASE_URL', () => requireSchema(sql));
  const metrics = createMetrics({ defaults: true });
  const processJobs = await openJobs({ config, log, sql }, metrics, scope);

  const clickhouse = await openServers(
    { config, log, scope, sql },
    { wrap: (connection, url) => traceClickHouse(connection, url, tracing) },
  );

  if (clickhouse.engine.cluster !== undefined) {
    await processJobs.jobs.loop('shards', { everyMs: shardsCheckMs, run: clickhouse.renew, scope });
  }

  const requireServed = await reportUnservedStores(sql, clickhouse, log);

  const kafka = createKafka({
    settings: config,
    clientId: config.kafkaPrefix,
    log,
  });
  const topics = topicNames(config.kafkaPrefix);
  await explainRefusal(config, () =>
    ensureTopics(kafka, topics, {
      partitions: config.kafkaPartitions,
      replication: config.kafkaReplication,
      retentionMs: config.kafkaRetentionMs,
      retentionBytes: config.kafkaRetentionBytes,
      maxMessageBytes: config.maxMessageBytes,
    }),
  );
  const tables = createRowTables(clickhouse);
  return {
    ...processJobs,
    config,
    log,
    metrics,
    sql,
    kafka,
    topics,
    clickhouse,
    tables,
    requireServed,
    tracing,
  };
};

/** Milliseconds of DRAIN_TIMEOUT_MS for running requests; the remainder is for the parts that stop after them. */
export const requestDrainMs = ({ drainTimeoutMs }: Pick<Config, 'drainTimeoutMs'>): number =>
  Math.floor((drainTimeoutMs * 4) / 5);

/** A process that listens. */
export interface Listening {
  readonly port: number;
}
