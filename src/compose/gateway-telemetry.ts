import type { Telemetry } from '../gateway/telemetry.js';
import type { GatewayMetrics } from '../lib/gateway-metrics.js';

/** What the gateway counts, as metrics. */
export const createTelemetry = (metrics: GatewayMetrics): Telemetry => ({
  upstreamCall(provider, outcome, seconds) {
    metrics.calls.inc({ provider, outcome });
    metrics.callSeconds.observe({ provider }, seconds);
  },
  answered: (provider, from) => metrics.answers.inc({ provider, from }),
  unexpectedReply: (provider) => metrics.unexpectedReplies.inc({ provider }),
  flaggedValues: (provider, count) => metrics.flaggedValues.inc({ provider }, count),
  queue: (provider, waiting) => metrics.queue.set({ provider }, waiting),
  quotaLeft: (provider, span, left) => metrics.quotaLeft.set({ provider, span }, left),
  denied: (provider, reason) => metrics.denied.inc({ provider, reason }),
});
