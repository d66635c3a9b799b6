import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Seconds; from a small reply nearby to the timeout of a slow upstream. */
const callBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Metrics of the provider gateway. Labels are slugs of the catalog and words of closed lists. */
export const createGatewayMetrics = (registers: Registry[]) => ({
  /** Requests to upstreams, retries included; outcome: ok or the kind of error. */
  calls: new Counter({
    name: 'tabulary_gateway_calls_total',
    help: 'Requests to upstreams, retries included. Outcome: ok, or the kind of error.',
    labelNames: ['provider', 'outcome'] as const,
    registers,
  }),
  callSeconds: new Histogram({
    name: 'tabulary_gateway_call_seconds',
    help: 'Seconds of one request to an upstream.',
    labelNames: ['provider'] as const,
    buckets: callBuckets,
    registers,
  }),
  /** Answers by source: memory, database, upstream, stale. */
  answers: new Counter({
    name: 'tabulary_gateway_answers_total',
    help: 'Responses by source: memory, database, upstream, stale (the upstream is down).',
    labelNames: ['provider', 'from'] as const,
    registers,
  }),
  /** Should always be zero; otherwise the upstream has changed, and the log has a redacted sample. */
  unexpectedReplies: new Counter({
    name: 'tabulary_gateway_unexpected_replies_total',
    help: 'Replies without the form they should have. Should always be zero.',
    labelNames: ['provider'] as const,
    registers,
  }),
  flaggedValues: new Counter({
    name: 'tabulary_gateway_flagged_values_total',
    help: 'Observations whose flag has no known meaning, usually a text instead of a number.',
    labelNames: ['provider'] as const,
    registers,
  }),
  queue: new Gauge({
    name: 'tabulary_gateway_queue',
    help: 'Requests that wait in this process for an upstream.',
    labelNames: ['provider'] as const,
    registers,
  }),
  quotaLeft: new Gauge({
    name: 'tabulary_gateway_quota_left',
    help: 'Requests left of a shared quota at the last check. Span: minute, hour, day. Key: none, or that of the service.',
    labelNames: ['provider', 'span', 'key'] as const,
    registers,
  }),
  denied: new Counter({
    name: 'tabulary_gateway_denied_total',
    help: 'Requests that were not sent to an upstream. Reason: pace, quota, share, background, held, queue, circuit.',
    labelNames: ['provider', 'reason'] as const,
    registers,
  }),
  /** Scheduled refreshes of datasets made from series; outcome: changed, unchanged, failed. */
  refreshes: new Counter({
    name: 'tabulary_series_refreshes_total',
    help: 'Refreshes of datasets made from series. Outcome: changed, unchanged, failed.',
    labelNames: ['outcome'] as const,
    registers,
  }),
});

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;
