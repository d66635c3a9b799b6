/** State for the operators' console: components, samples, and the alerts that follow from them. */

import { createHash } from 'node:crypto';
import { readRefreshState } from '../gateway/datasets/refresh-state.js';
import type { Gateway } from '../gateway/gateway.js';
import type { AlertState, OpsState, OpsUpstream } from '../http/routes/ops-schema.js';
import type { Metrics } from '../lib/metrics/metrics.js';
import { isoUtc } from '../lib/time.js';
import type { GroupState, LogState } from '../storage/kafka/consumer-lag.js';
import {
  type KeptSample,
  keepSample,
  type LaneSample,
  readSamples,
} from '../storage/postgres/ops-samples.js';
import type { Sql } from '../storage/postgres/sql.js';
import { consumingPausedSince } from '../uploads/lifecycle/consuming.js';
import { readFailureReasons, readPipelineState } from '../uploads/lifecycle/pipeline-state.js';
import { type AlertFacts, alertsOfPrometheus, holdingAlerts, judgeAlerts } from './alerts.js';
import type { Health } from './health-probe.js';

/** Reasons of failures are asked for this many minutes, as the alert about them says. */
const failuresMinutes = 15;
/** No condition has to hold for longer than this before it counts. */
const alertMinutes = 60;

export interface ConsoleState {
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

const lanesOf = ({ groups, lag }: LogState): LaneSample[] =>
  groups.map((state) => {
    const places = lag.filter(({ group }) => group === state.group);
    const known = places.every(({ bytes }) => bytes !== null);
    return {
      lane: state.group.slice(state.group.lastIndexOf('.') + 1),
      messages: places.reduce((sum, place) => sum + place.lag, 0),
      bytes: known ? places.reduce((sum, place) => sum + (place.bytes ?? 0), 0) : null,
      seconds: Math.max(0, ...places.map(({ seconds }) => seconds)),
      members: state.members,
      assignment: fingerprintOf(state),
    };
  });

/** Counts of each upstream since this process started. */
const readUpstreams = async (gateway: Gateway, { gateway: metrics }: Metrics): Promise<OpsUpstream[]> => {
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
  const factsOf = async (seen: Health, providers: AlertFacts['providers']): Promise<AlertFacts> => {
    const [backlog, free, size, failureReasons] = await Promise.all([
      metrics.backlogRatio.get(),
      metrics.exports.diskFreeBytes.get(),
      metrics.exports.diskBytes.get(),
      readFailureReasons(sql, failuresMinutes),
    ]);
    const backlogRatio = new Map(backlog.values.map(({ labels, value }) => [String(labels.lane), value]));
    const bytes = size.values[0]?.value ?? 0;
    const exportDisk = bytes > 0 ? { freeBytes: free.values[0]?.value ?? 0, bytes } : undefined;
    return { health: seen, providers, backlogRatio, exportDisk, failureReasons };
  };

  const alertsOf = async (facts: AlertFacts): Promise<AlertState[]> =>
    judgeAlerts(facts, await readSamples(sql, alertMinutes), new Date()).map((alert) => ({
      ...alert,
      since: isoUtc(alert.since),
    }));

  let minuteKept = '';
  return {
    async state() {
      const seen = await probeHealth();
      const [uploads, refreshes, providers, pausedSince] = await Promise.all([
        readPipelineState({ sql }),
        readRefreshState(sql),
        readUpstreams(gateway, metrics),
        consumingPausedSince(sql),
      ]);
      const facts = await factsOf(seen, providers);
      return {
        at: isoUtc(new Date()),
        components: seen.components,
        alerts: await alertsOf(facts),
        alertsOfPrometheus,
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
      // Without PostgreSQL there is nowhere to keep it: the gap tells of that.
      if (minute === minuteKept || seen.uploads === null) return;
      const { pending, deadLetters } = seen.uploads;
      await keepSample(sql, {
        lanes: seen.log === null ? [] : lanesOf(seen.log),
        pending: pending.reduce((sum, { count }) => sum + count, 0),
        oldestPendingSeconds: Math.max(0, ...pending.map(({ oldestSeconds }) => oldestSeconds)),
        deadLetters,
        storeBytes: seen.sizes?.kinds.reduce((sum, { bytes }) => sum + bytes, 0) ?? null,
        mostParts: seen.sizes?.mostParts ?? null,
        down: seen.components.filter(({ ok }) => !ok).map(({ name }) => name),
        alerts: holdingAlerts(await factsOf(seen, await gateway.state())),
      });
      minuteKept = minute;
    },
  };
};
