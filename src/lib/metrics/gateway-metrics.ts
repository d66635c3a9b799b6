import type { Meters } from './meters.js';

/** Seconds; from a small reply nearby to the timeout of a slow upstream. */
const callBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Metrics of the provider gateway. Labels are slugs of the catalog and words of closed lists. */
export const createGatewayMetrics = ({ counter, gauge, histogram }: Meters) => ({
  calls: counter(
    'tabulary_gateway_calls_total',
    'Requests to upstreams, retries included. Outcome: ok, or the kind of error.',
    ['provider', 'outcome'],
  ),
  callSeconds: histogram(
    'tabulary_gateway_call_seconds',
    'Seconds of one request to an upstream.',
    callBuckets,
    ['provider'],
  ),
  answers: counter(
    'tabulary_gateway_answers_total',
    'Responses by source: memory, database, upstream, stale (the upstream is down).',
    ['provider', 'from'],
  ),
  /** Should always be zero; otherwise the upstream has changed, and the log has a redacted sample. */
  unexpectedReplies: counter(
    'tabulary_gateway_unexpected_replies_total',
    'Replies without the form they should have. Should always be zero.',
    ['provider'],
  ),
  flaggedValues: counter(
    'tabulary_gateway_flagged_values_total',
    'Observations whose flag has no known meaning, usually a text instead of a number.',
    ['provider'],
  ),
  queue: gauge('tabulary_gateway_queue', 'Requests that wait in this process for an upstream.', ['provider']),
  quotaLeft: gauge(
    'tabulary_gateway_quota_left',
    'Requests left of a shared quota at the last check. Span: minute, hour, day. Key: none, or that of the service.',
    ['provider', 'span', 'key'],
  ),
  denied: counter(
    'tabulary_gateway_denied_total',
    'Requests that were not sent to an upstream. Reason: pace, quota, share, background, held, queue, circuit.',
    ['provider', 'reason'],
  ),
  refreshes: counter(
    'tabulary_series_refreshes_total',
    'Refreshes of datasets made from series. Outcome: changed, unchanged, failed.',
    ['outcome'],
  ),
});

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;
