import { readRefreshState } from '../gateway/datasets/refresh-state.js';
import type { Gateway } from '../gateway/gateway.js';
import type { ComponentState, OpsState } from '../http/routes/ops-schema.js';
import { readPipelineState } from '../ingest/lifecycle/pipeline-state.js';
import { createDeadLetterStore } from '../ingest/repair/dead-letter-store.js';
import { messageOf } from '../lib/errors.js';
import { isoUtc } from '../lib/time.js';
import { readLogState } from '../storage/kafka/consumer-lag.js';
import type { Core } from './core.js';

/** Longest that a component may take to answer. */
const patienceMs = 5_000;

/** What a component answers, or that it does not: one that is down must not hide the others. */
const ask = async <T>(
  name: ComponentState['name'],
  question: () => Promise<T>,
): Promise<{ component: ComponentState; answer: T | null }> => {
  const startedAt = Date.now();
  const settled = new AbortController();
  const expired = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
    settled.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
  const componentOf = (error: string | null): ComponentState => ({
    name,
    ok: error === null,
    ms: Date.now() - startedAt,
    error,
  });
  try {
    const answer = await Promise.race([question(), expired]);
    return { component: componentOf(null), answer };
  } catch (error) {
    return { component: componentOf(messageOf(error).slice(0, 200)), answer: null };
  } finally {
    settled.abort();
  }
};

/** The state that `/ops` shows. Requests at the same time share one look. */
export const createOpsState = (
  { config, sql, clickhouse, kafka, topics }: Core,
  gateway: Gateway,
): (() => Promise<OpsState>) => {
  const look = async (): Promise<OpsState> => {
    const [database, store, log] = await Promise.all([
      ask('database', () => sql.query('SELECT 1')),
      ask('clickhouse', async () => {
        if (!(await clickhouse.ping())) throw new Error('ClickHouse does not answer');
      }),
      ask('kafka', () => readLogState({ kafka, topics, groupPrefix: config.kafkaPrefix })),
    ]);
    const [uploads, deadLetters, refreshes, providers] = await Promise.all([
      readPipelineState({ sql }),
      createDeadLetterStore(sql).count(),
      readRefreshState(sql),
      gateway.state(),
    ]);
    return {
      at: isoUtc(new Date()),
      components: [database.component, store.component, log.component],
      uploads,
      log: log.answer && { ...log.answer, deadLetters },
      refreshes,
      providers,
    };
  };
  let looking: Promise<OpsState> | undefined;
  return () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
};
