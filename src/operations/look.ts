/** One look at what PostgreSQL, ClickHouse and Kafka know of the service: for metrics, for alerts and for the console. */
import type { Config } from '../config.js';
import type { ComponentState } from '../http/routes/ops-schema.js';
import type { Log } from '../lib/log.js';
import { shareLooks } from '../lib/shared-look.js';
import { isoUtc } from '../lib/time.js';
import { type ClickHouseSizes, readSizes } from '../rows/index.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import type { KafkaConnection } from '../storage/kafka/connection.js';
import { type LogState, readLogState } from '../storage/kafka/consumer-lag.js';
import type { TopicNames } from '../storage/kafka/topics.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type PendingUploads, readPendingUploads } from '../uploads/lifecycle/pipeline-state.js';
import { createDeadLetterRecords } from '../uploads/repair/dead-letter-records.js';
import { ask } from './ask.js';

/** Parts that do not answer are null: nothing old is taken for the present. */
export interface Look {
  readonly components: readonly ComponentState[];
  readonly uploads: { readonly pending: readonly PendingUploads[]; readonly deadLetters: number } | null;
  readonly sizes: ClickHouseSizes | null;
  readonly log: LogState | null;
}

/** Those who ask at the same time share one look. */
const keptMs = 500;

export interface LookParts {
  readonly config: Pick<Config, 'kafkaPrefix'>;
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  readonly kafka: KafkaConnection;
  readonly topics: TopicNames;
  readonly log: Log;
}

/** It does not throw: a component that is down must not hide the others. */
export const createLook = ({
  config,
  sql,
  clickhouse,
  kafka,
  topics,
  log,
}: LookParts): (() => Promise<Look>) => {
  /** Since when each component has been as it is, as this process saw it. */
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
  return shareLooks(async () => {
    const [database, store, kafkaLog] = await Promise.all([
      ask('database', async () => ({
        pending: await readPendingUploads(sql),
        deadLetters: await createDeadLetterRecords(sql).count(),
      })),
      ask('clickhouse', () => readSizes(clickhouse)),
      ask('kafka', () => readLogState({ kafka, topics, groupPrefix: config.kafkaPrefix })),
    ]);
    return {
      components: [database, store, kafkaLog].map(({ component }) => remember(component)),
      uploads: database.answer,
      sizes: store.answer,
      log: kafkaLog.answer,
    };
  }, keptMs);
};
