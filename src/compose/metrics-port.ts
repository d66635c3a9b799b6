import type { Config } from '../config.js';
import { createApp } from '../http/app.js';
import type { Route } from '../http/route.js';
import { createMetricsRoute } from '../http/routes/metrics.js';
import { AppError } from '../lib/errors.js';
import type { Scope } from '../lib/scope.js';
import { type Core, requestDrainMs } from './core.js';

/** Authentication of a server whose routes need no key. */
export const refuseKeys = async (): Promise<never> => {
  throw new AppError('unauthenticated', 'no_keys_here', 'This address does not accept API keys.');
};

type MetricsCore = Pick<Core, 'metrics' | 'log'> & {
  readonly config: Pick<Config, 'host' | 'metricsPort' | 'metricsToken' | 'drainTimeoutMs'>;
};

/** The route of `/metrics` for the server of a process. None if it has its own port, which is then opened. */
export const openMetrics = async (
  { config, metrics, log }: MetricsCore,
  scope: Scope,
  version: string,
): Promise<Route[]> => {
  const metricsRoute = createMetricsRoute({ metrics, token: config.metricsToken });
  if (config.metricsPort === undefined) return [metricsRoute];
  const server = createApp({
    routes: [],
    rootRoutes: [metricsRoute],
    authenticate: refuseKeys,
    log,
    metrics,
    version,
    documents: false,
  });
  await scope.defer('HTTP server of /metrics', () => server.close(requestDrainMs(config)));
  const port = await server.listen({ host: config.host, port: config.metricsPort, setting: 'METRICS_PORT' });
  log.info({ port }, 'metrics ready');
  return [];
};
