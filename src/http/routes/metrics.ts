import { createHash, timingSafeEqual } from 'node:crypto';
import type { Metrics } from '../../lib/metrics/metrics.js';
import { singleFlight } from '../../lib/single-flight.js';
import { type Route, route } from '../route.js';
import { HttpFault } from '../status.js';

interface MetricsRouteOptions {
  readonly metrics: Metrics;
  /** Token that a scraper must send as `Authorization: Bearer …`; undefined: none. */
  readonly token?: string | undefined;
}

/** Milliseconds for which scrapes share one text, since rendering takes some milliseconds. */
const keptMs = 250;

/** Hashed, since `timingSafeEqual` needs equal lengths. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const requireToken = (token: string | undefined, authorization: string | undefined): void => {
  if (token === undefined) return;
  const given = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
  if (timingSafeEqual(digest(given), digest(token))) return;
  throw new HttpFault(401, 'metrics_token', 'the token of METRICS_TOKEN is required', {
    'WWW-Authenticate': 'Bearer realm="metrics"',
  });
};

/** `/metrics`: Prometheus text. */
export const createMetricsRoute = ({ metrics, token }: MetricsRouteOptions): Route => {
  const text = singleFlight(() => metrics.registry.metrics(), keptMs);
  return route({
    method: 'GET',
    path: '/metrics',
    summary: 'Measurements in Prometheus text format',
    tags: ['Operations'],
    auth: 'none',
    permit: 'none',
    hidden: true,
    responses: { 200: { description: 'Measurements.', contentTypes: ['text/plain'] } },
    handler: async ({ header }) => {
      requireToken(token, header('authorization'));
      return {
        status: 200,
        headers: { 'Content-Type': metrics.registry.contentType },
        body: await text(),
      };
    },
  });
};
