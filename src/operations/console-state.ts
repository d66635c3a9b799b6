/** State for the operators' console, and the samples that its charts show. Alerts are left to Prometheus. */

import { createHash } from 'node:crypto';
import { readRefreshState } from '../gateway/datasets/refresh-state.js';
import type { Gateway } from '../gateway/gateway.js';
import type { OpsState } from '../http/routes/ops-schema.js';
import type { Metrics } from '../lib/metrics/metrics.js';
import { isoUtc } from '../lib/time.js';
import type { GroupState, LogState } from '../storage/kafka/consumer-lag.js';
import {
  type KeptSample,
  keepSample,
  readSamples,
  type TopicSample,
} from '../storage/postgres/ops-samples.js';
import type { Sql } from '../storage/postgres/sql.js';
import { consumingPausedSince } from '../uploads/lifecycle/consuming.js';
import { readPipelineState } from '../uploads/lifecycle/pipeline-state.js';
import type { Health } from './health-probe.js';

interface ConsoleState {
  state(): Promise<OpsState>;
  /** Samples of the last minutes, oldest first. */
  samples(minutes: number): Promise<KeptSample[]>;
  /** Keeps the result of a probe, once a minute for all processes together. */
  keep(health: Health): Promise<void>;
}

const fingerprintOf = ({ assignments }: GroupState): string =>
  createHash('sha256')
    .update(JSON.stringify(assignments.map(({ member, partitions }) => [member, partitions])))
    .digest('hex')
    .slice(0, 12);

const topicSamples = ({ groups, lag }: LogState): TopicSample[] =>
  groups.map((state) => {
    const places = lag.filter(({ group }) => group === state.group);
    const known = places.every(({ bytes }) => bytes !== null);
    return {
      topic: state.group.slice(state.group.lastIndexOf('.') + 1),
      messages: places.reduce((sum, place) => sum + place.lag, 0),
      bytes: known ? places.reduce((sum, place) => sum + (place.bytes ?? 0), 0) : null,
      seconds: Math.max(0, ...places.map(({ seconds }) => seconds)),
      members: state.members,
      assignment: fingerprintOf(state),
    };
  });

/** Counts of each upstream since this process started. */
const readUpstreams = async (
  gateway: Gateway,
  { gateway: metrics }: Metrics,
): Promise<OpsState['providers']> => {
  const [all, queue, calls] = await Promise.all([gateway.state(), metrics.queue.get(), metrics.calls.get()]);
  return all.map((upstream) => ({
    ...upstream,
    waiting: queue.values.find(({ labels }) => labels.provider === upstream.provider)?.value ?? 0,
    calls: calls.values
      .filter(({ labels }) => labels.provider === upstream.provider)
      .map(({ labels, value }) => ({ outcome: String(labels.outcome), count: value })),
  }));
};

export const createConsoleState = (
  { sql, metrics }: { readonly sql: Sql; readonly metrics: Metrics },
  { gateway, probeHealth }: { readonly gateway: Gateway; readonly probeHealth: () => Promise<Health> },
): ConsoleState => {
  let minuteKept = '';
  return {
    async state() {
      const seen = await probeHealth();
      const [uploads, refreshes, providers, pausedSince] = await Promise.all([
        readPipelineState(sql),
        readRefreshState(sql),
        readUpstreams(gateway, metrics),
        consumingPausedSince(sql),
      ]);
      return {
        at: isoUtc(new Date()),
        components: seen.components,
        consuming: { pausedSince: pausedSince === null ? null : isoUtc(new Date(pausedSince)) },
        uploads,
        log: seen.log && { ...seen.log, deadLetters: seen.uploads?.deadLetters ?? 0 },
        refreshes,
        providers,
      };
    },

    samples: (minutes) => readSamples(sql, minutes),

    async keep(seen) {
      const minute = isoUtc(new Date()).slice(0, 16);
      // Without PostgreSQL there is nowhere to keep it; the chart shows a gap.
      if (minute === minuteKept || seen.uploads === null) return;
      const { pending, deadLetters } = seen.uploads;
      await keepSample(sql, {
        topics: seen.log === null ? [] : topicSamples(seen.log),
        pending: pending.reduce((sum, { count }) => sum + count, 0),
        oldestPendingSeconds: Math.max(0, ...pending.map(({ oldestSeconds }) => oldestSeconds)),
        deadLetters,
        storeBytes: seen.sizes?.kinds.reduce((sum, { bytes }) => sum + bytes, 0) ?? null,
        mostParts: seen.sizes?.mostParts ?? null,
        down: seen.components.filter(({ ok }) => !ok).map(({ name }) => name),
      });
      minuteKept = minute;
    },
  };
};
