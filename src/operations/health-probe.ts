/** Health probe of PostgreSQL, ClickHouse and Kafka: for metrics, alerts and the console. */
import type { Config } from '../config.js';
import type { ComponentState } from '../http/routes/ops-schema.js';
import type { Log } from '../lib/log.js';
import { singleFlight } from '../lib/single-flight.js';
import { isoUtc } from '../lib/time.js';
import { type ClickHouseSizes, readSizes } from '../rows/index.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import type { KafkaConnection } from '../storage/kafka/connection.js';
import { type LogState, readLogState } from '../storage/kafka/consumer-lag.js';
import type { TopicNames } from '../storage/kafka/topics.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type PendingUploads, readPendingUploads } from '../uploads/lifecycle/pipeline-state.js';
import { createDeadLetterRecords } from '../uploads/repair/dead-letter-records.js';
import { probe } from './probe.js';

/** Parts of components that do not answer are null, never an earlier result. */
export interface Health {
  readonly components: readonly ComponentState[];
  readonly uploads: { readonly pending: readonly PendingUploads[]; readonly deadLetters: number } | null;
  readonly sizes: ClickHouseSizes | null;
  readonly log: LogState | null;
}

/** Milliseconds for which a result is shared. */
const keptMs = 500;

interface HealthProbeParts {
  readonly config: Pick<Config, 'kafkaPrefix'>;
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  readonly kafka: KafkaConnection;
  readonly topics: TopicNames;
  readonly log: Log;
}

/** Does not throw: a component that is down must not hide the others. */
export const createHealthProbe = ({
  config,
  sql,
  clickhouse,
  kafka,
  topics,
  log,
}: HealthProbeParts): (() => Promise<Health>) => {
  /** State of each component and since when, as seen by this process. */
  const before = new Map<string, { readonly ok: boolean; readonly since: string }>();
  const remember = (component: Omit<ComponentState, 'since'>): ComponentState => {
    const { name, ok, error } = component;
    const last = before.get(name);
    const now = last?.ok === ok ? last : { ok, since: isoUtc(new Date()) };
    before.set(name, now);
    if (!ok && last?.ok !== false) log.warn({ component: name, reason: error }, 'component does not answer');
    if (ok && last?.ok === false) log.info({ component: name }, 'component answers again');
    return { ...component, since: now.since };
  };
  return singleFlight(async () => {
    const [database, store, kafkaLog] = await Promise.all([
      probe('database', async () => ({
        pending: await readPendingUploads(sql),
        deadLetters: await createDeadLetterRecords(sql).count(),
      })),
      probe('clickhouse', () => readSizes(clickhouse)),
      probe('kafka', () => readLogState({ kafka, topics, groupPrefix: config.kafkaPrefix })),
    ]);
    return {
      components: [database, store, kafkaLog].map(({ component }) => remember(component)),
      uploads: database.answer,
      sizes: store.answer,
      log: kafkaLog.answer,
    };
  }, keptMs);
};
