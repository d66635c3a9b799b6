import type { ErrorKind } from '../lib/errors.js';
import type { GatewayMetrics } from '../lib/metrics/gateway-metrics.js';

/** Counters of the gateway. The receiver converts them to metrics; labels are slugs and words of closed lists. */
export interface Telemetry {
  /** One request to an upstream, retries included; `outcome` is `ok` or the kind of error. */
  upstreamCall(provider: string, outcome: 'ok' | ErrorKind, seconds: number): void;
  /** Source of an answer. */
  answered(provider: string, from: 'memory' | 'database' | 'upstream' | 'stale'): void;
  /** A reply of an unexpected form. Should always be zero; otherwise the upstream has changed. */
  unexpectedReply(provider: string): void;
  /** Observations of an answer whose text is neither a number nor a usual word for "missing". */
  flaggedValues(provider: string, count: number): void;
  /** Requests of this process that wait for their turn. */
  queue(provider: string, waiting: number): void;
  /** Requests not sent: `pace`, `quota`, `share`, `background`, `held`, `queue`, `circuit`. */
  denied(provider: string, reason: string): void;
}

export const silentTelemetry: Telemetry = {
  upstreamCall: () => undefined,
  answered: () => undefined,
  unexpectedReply: () => undefined,
  flaggedValues: () => undefined,
  queue: () => undefined,
  denied: () => undefined,
};

export const meteredTelemetry = (metrics: GatewayMetrics): Telemetry => ({
  upstreamCall(provider, outcome, seconds) {
    metrics.calls.inc({ provider, outcome });
    metrics.callSeconds.observe({ provider }, seconds);
  },
  answered: (provider, from) => metrics.answers.inc({ provider, from }),
  unexpectedReply: (provider) => metrics.unexpectedReplies.inc({ provider }),
  flaggedValues: (provider, count) => metrics.flaggedValues.inc({ provider }, count),
  queue: (provider, waiting) => metrics.queue.set({ provider }, waiting),
  denied: (provider, reason) => metrics.denied.inc({ provider, reason }),
});
