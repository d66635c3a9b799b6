/**
 * Looks now and then at what PostgreSQL, ClickHouse and Kafka know of the pipeline, and shows it as metrics. API processes
 * do it, not workers: that no worker runs is one of the things to be seen. What a component does not tell has no value, so
 * that nothing old is taken for the present.
 */
import type { ComponentState } from '../http/routes/ops-schema.js';
import { pendingPhases, readPendingUploads } from '../ingest/lifecycle/pipeline-state.js';
import { createDeadLetterRecords } from '../ingest/repair/dead-letter-records.js';
import { startPeriodic } from '../lib/periodic.js';
import type { PipelineMetrics } from '../lib/pipeline-metrics.js';
import type { Scope } from '../lib/scope.js';
import { type ClickHouseSizes, readSizes } from '../storage/clickhouse/sizes.js';
import { type LogState, readLogState } from '../storage/kafka/consumer-lag.js';
import { ask } from './ask.js';
import type { Core } from './core.js';

const showLog = (metrics: PipelineMetrics, state: LogState | null): void => {
  const { lagMessages, lagSeconds, groupMembers, assignedPartitions } = metrics;
  for (const gauge of [lagMessages, lagSeconds, groupMembers, assignedPartitions]) gauge.reset();
  for (const { group, topic, partition, lag, seconds } of state?.lag ?? []) {
    lagMessages.set({ group, topic, partition }, lag);
    lagSeconds.set({ group, topic, partition }, seconds);
  }
  for (const { group, members, assigned } of state?.groups ?? []) {
    groupMembers.set({ group }, members);
    assignedPartitions.set({ group }, assigned);
  }
};

const showSizes = (metrics: PipelineMetrics, sizes: ClickHouseSizes | null): void => {
  const { storeTables, storeParts, storeRows, storeBytes, diskFreeBytes, diskBytes, mostParts } = metrics;
  for (const gauge of [storeTables, storeParts, storeRows, storeBytes, diskFreeBytes, diskBytes])
    gauge.reset();
  mostParts.set(sizes?.mostParts ?? Number.NaN);
  for (const { kind, tables, parts, rows, bytes } of sizes?.kinds ?? []) {
    storeTables.set({ kind }, tables);
    storeParts.set({ kind }, parts);
    storeRows.set({ kind }, rows);
    storeBytes.set({ kind }, bytes);
  }
  for (const { disk, freeBytes, bytes } of sizes?.disks ?? []) {
    diskFreeBytes.set({ disk }, freeBytes);
    diskBytes.set({ disk }, bytes);
  }
};

interface Uploads {
  readonly pending: Awaited<ReturnType<typeof readPendingUploads>>;
  readonly deadLetters: number;
}

const showUploads = (metrics: PipelineMetrics, uploads: Uploads | null): void => {
  metrics.pending.reset();
  metrics.oldestPendingSeconds.reset();
  metrics.deadLettersWaiting.set(uploads?.deadLetters ?? Number.NaN);
  if (uploads === null) return;
  for (const phase of pendingPhases) {
    const found = uploads.pending.find((one) => one.phase === phase);
    metrics.pending.set({ phase }, found?.count ?? 0);
    metrics.oldestPendingSeconds.set({ phase }, found?.oldestSeconds ?? 0);
  }
};

/** One look at everything. It does not throw: what does not answer is shown as being down. */
const createPipelineLook = ({ config, sql, clickhouse, kafka, topics, metrics, log }: Core) => {
  const { pipeline } = metrics;
  const down = new Map<string, string>();
  const tellChange = ({ name, error }: ComponentState): void => {
    if ((down.get(name) ?? null) === error) return;
    if (error === null) {
      down.delete(name);
      log.info({ component: name }, 'component answers again');
    } else {
      down.set(name, error);
      log.warn({ component: name, reason: error }, 'component does not answer');
    }
  };
  return async (): Promise<void> => {
    const [database, clickhouseState, kafkaLog] = await Promise.all([
      ask(
        'database',
        async (): Promise<Uploads> => ({
          pending: await readPendingUploads(sql),
          deadLetters: await createDeadLetterRecords(sql).count(),
        }),
      ),
      ask('clickhouse', () => readSizes(clickhouse)),
      ask('kafka', () => readLogState({ kafka, topics, groupPrefix: config.kafkaPrefix })),
    ]);
    showUploads(pipeline, database.answer);
    showSizes(pipeline, clickhouseState.answer);
    showLog(pipeline, kafkaLog.answer);
    for (const { component } of [database, clickhouseState, kafkaLog]) {
      pipeline.componentUp.set({ component: component.name }, component.ok ? 1 : 0);
      tellChange(component);
    }
    pipeline.lookedAt.setToCurrentTime();
  };
};

/** Looks every `WATCH_INTERVAL_MS` until the process stops. */
export const startPipelineWatch = async (core: Core, scope: Scope): Promise<void> => {
  const { config, log } = core;
  const look = createPipelineLook(core);
  const watch = startPeriodic({ name: 'watch', intervalMs: config.watchIntervalMs, run: look, log });
  await scope.defer('watch', watch.stop);
};
