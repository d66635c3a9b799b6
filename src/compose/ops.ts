import { readRefreshState } from '../gateway/datasets/refresh-state.js';
import type { Gateway } from '../gateway/gateway.js';
import type { OpsState } from '../http/routes/ops-schema.js';
import { readPipelineState } from '../ingest/lifecycle/pipeline-state.js';
import { createDeadLetterRecords } from '../ingest/repair/dead-letter-records.js';
import { isoUtc } from '../lib/time.js';
import { readLogState } from '../storage/kafka/consumer-lag.js';
import { ask } from './ask.js';
import type { Core } from './core.js';

/** The state that `/ops` shows. Requests at the same time share one look. */
export const createOpsState = (
  { config, sql, clickhouse, kafka, topics }: Core,
  gateway: Gateway,
): (() => Promise<OpsState>) => {
  const look = async (): Promise<OpsState> => {
    const [database, clickhouseState, log] = await Promise.all([
      ask('database', () => sql.query('SELECT 1')),
      ask('clickhouse', async () => {
        if (!(await clickhouse.ping())) throw new Error('ClickHouse does not answer');
      }),
      ask('kafka', () => readLogState({ kafka, topics, groupPrefix: config.kafkaPrefix })),
    ]);
    const [uploads, deadLetters, refreshes, providers] = await Promise.all([
      readPipelineState({ sql }),
      createDeadLetterRecords(sql).count(),
      readRefreshState(sql),
      gateway.state(),
    ]);
    return {
      at: isoUtc(new Date()),
      components: [database.component, clickhouseState.component, log.component],
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
