/**
 * Gauges of the pipeline and of quotas, from a probe of PostgreSQL, ClickHouse and Kafka. API processes refresh them, not
 * workers: the gauges have to show that no worker runs. Gauges of a component that does not answer have no value, never an
 * earlier one.
 */
import type { Gateway } from '../gateway/gateway.js';
import type { GatewayMetrics } from '../lib/metrics/gateway-metrics.js';
import type { Metrics } from '../lib/metrics/metrics.js';
import type { PipelineMetrics } from '../lib/metrics/pipeline-metrics.js';
import type { ClickHouseSizes } from '../rows/index.js';
import type { LogState } from '../storage/kafka/consumer-lag.js';
import { pendingPhases } from '../uploads/lifecycle/pipeline-state.js';
import type { Health } from './health-probe.js';
import { probe } from './probe.js';

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

const showUploads = (metrics: PipelineMetrics, uploads: Health['uploads']): void => {
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

const showBackup = ({ lastBackup }: PipelineMetrics, seconds: number | undefined): void => {
  if (seconds === undefined) lastBackup.remove();
  else lastBackup.set(seconds);
};

/** Read each time, since a quota is renewed by the clock and not by a request. */
const showQuotas = (
  { quotaLeft }: GatewayMetrics,
  upstreams: Awaited<ReturnType<Gateway['state']>> | null,
): void => {
  quotaLeft.reset();
  for (const { provider, quotas } of upstreams ?? [])
    for (const { span, key, left } of quotas) quotaLeft.set({ provider, span, key }, left);
};

/** Dependencies of the gauges. */
interface PipelineGaugesOptions {
  readonly metrics: Metrics;
  readonly probeHealth: () => Promise<Health>;
  readonly upstreams: Gateway['state'];
  /** Unix time of the newest successful backup; undefined: none was ever started. */
  readonly lastBackup: () => Promise<number | undefined>;
}

/** Probes all components, sets the gauges and returns the health. */
export const refreshPipelineGauges = async ({
  metrics,
  probeHealth,
  upstreams,
  lastBackup,
}: PipelineGaugesOptions): Promise<Health> => {
  const { pipeline } = metrics;
  const [health, { answer: quotas }, { answer: backup }] = await Promise.all([
    probeHealth(),
    probe('database', upstreams),
    probe('database', lastBackup),
  ]);
  showUploads(pipeline, health.uploads);
  showSizes(pipeline, health.sizes);
  showLog(pipeline, health.log);
  showQuotas(metrics.gateway, quotas);
  for (const { name, ok } of health.components) pipeline.componentUp.set({ component: name }, ok ? 1 : 0);
  showBackup(pipeline, backup ?? undefined);
  pipeline.probedAt.setToCurrentTime();
  return health;
};
