import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds; from a cached answer to a whole-table download. */
const latencyBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600];

/**
 * Every metric of the product, by name, with its unit and labels. One registry per process; a factory, so that
 * tests count on their own.
 */
export const createMetrics = ({ defaults = false }: { defaults?: boolean } = {}) => {
  const registry = new Registry();
  const registers = [registry];
  if (defaults) collectDefaultMetrics({ register: registry });
  return {
    registry,
    /** Seconds from the first byte of a request to the last of its answer; route is the template. */
    httpSeconds: new Histogram({
      name: 'tabulary_http_request_seconds',
      help: 'Seconds from the first byte of a request to the last of its answer.',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: latencyBuckets,
      registers,
    }),
    httpInFlight: new Gauge({
      name: 'tabulary_http_requests_in_flight',
      help: 'Requests being answered.',
      registers,
    }),
    /** Answers that could not be finished; reason: client (hung up) or server (a stream failed midway). */
    httpBroken: new Counter({
      name: 'tabulary_http_answers_broken_total',
      help: 'Answers cut off before their end. Reason: client hung up, or server failed midway.',
      labelNames: ['route', 'reason'] as const,
      registers,
    }),
    authFailures: new Counter({
      name: 'tabulary_auth_failures_total',
      help: 'Requests whose credentials were refused.',
      registers,
    }),
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
