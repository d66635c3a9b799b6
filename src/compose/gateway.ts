import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from '../catalog/catalog.js';
import { planOf } from '../catalog/plans.js';
import type { Config } from '../config.js';
import { createGateway, type Gateway } from '../gateway/gateway.js';
import type { GatewaySettings } from '../gateway/gateway-parts.js';
import { parseMasterKeys } from '../gateway/keys/cipher.js';
import { readKeyFile } from '../gateway/keys/key-file.js';
import { withKeyedRate } from '../gateway/limits/rate-text.js';
import { silentTelemetry, type Telemetry } from '../gateway/telemetry.js';
import { createTransport } from '../gateway/upstream/transport.js';
import type { Route } from '../http/route.js';
import { createFeedRoutes } from '../http/routes/feed.js';
import { createGatewayCallers } from '../http/routes/gateway-caller.js';
import { createProviderRoutes } from '../http/routes/providers.js';
import { createSeriesRoutes } from '../http/routes/series.js';
import { createSeriesDatasetRoutes } from '../http/routes/series-datasets.js';
import { createUserKeyRoutes } from '../http/routes/user-keys.js';
import { AppError, messageOf } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { GatewayMetrics } from '../lib/metrics/gateway-metrics.js';
import { startPeriodic } from '../lib/periodic.js';
import type { Scope } from '../lib/scope.js';
import { noTracing, type Tracing } from '../lib/tracing.js';
import { readOwnSources } from '../providers/own/own-sources.js';
import type { Provider } from '../providers/provider.js';
import { allProviders } from '../providers/registry.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Receiver } from '../uploads/receive/receiver.js';
import type { Core } from './core.js';
import { openSeriesDatasets } from './series-datasets.js';
import { traceTransport } from './traced-parts.js';

/** Metrics of the gateway. */
const createTelemetry = (metrics: GatewayMetrics): Telemetry => ({
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

/** File of the master keys when they are not in the environment. */
export const masterKeyFile = (config: Config): string => join(config.dataDir, 'master-keys');

const lowerCase = (slugs: readonly string[] = []): string[] => slugs.map((slug) => slug.toLowerCase());

/** @throws AppError for a slug that no provider has: a misspelt one would go unnoticed. */
const requireKnown = (variable: string, slugs: readonly string[], known: readonly string[]): void => {
  const unknown = slugs.filter((slug) => !known.includes(slug));
  if (unknown.length === 0) return;
  const message = `${variable}: there is no provider ${unknown.join(', ')}; there are ${known.join(', ')}`;
  throw new AppError('invalid', 'bad_configuration', message);
};

/** @throws AppError that names the variable. */
const withLimits = (provider: Provider, text: string | undefined): Provider => {
  try {
    return withKeyedRate(provider, text);
  } catch (error) {
    throw new AppError('invalid', 'bad_configuration', `PROVIDER_LIMITS: ${messageOf(error)}`);
  }
};

/** Sources that the operator adds. @throws AppError that names the file's line at fault. */
const ownSources = ({ providersFile }: Config): Provider[] => {
  if (providersFile === undefined) return [];
  let text: string;
  try {
    text = readFileSync(providersFile, 'utf8');
  } catch (error) {
    throw new AppError('invalid', 'bad_configuration', `PROVIDERS_FILE: ${messageOf(error)}`);
  }
  return readOwnSources(
    text,
    allProviders.map(({ slug }) => slug),
  );
};

const gatewaySettings = (config: Config): GatewaySettings => {
  const { providerKeys = {}, providerUrls = {}, providerLimits = {} } = config;
  const feedProvider = config.feedProvider.toLowerCase();
  const paidProviders = lowerCase(config.paidProviders);
  const providers = [...allProviders, ...ownSources(config)];
  const known = providers.map(({ slug }) => slug);
  requireKnown('PROVIDER_KEYS', Object.keys(providerKeys), known);
  requireKnown(
    'PROVIDER_URLS',
    Object.keys(providerUrls).map((name) => name.split('.', 1)[0] ?? ''),
    known,
  );
  requireKnown('PROVIDER_LIMITS', Object.keys(providerLimits), known);
  requireKnown('FEED_PROVIDER', [feedProvider], known);
  requireKnown('PAID_PROVIDERS', paidProviders, known);
  return {
    providers: providers.map((provider) => withLimits(provider, providerLimits[provider.slug])),
    masterKeys: parseMasterKeys(config.masterKeys ?? []),
    serviceKeys: providerKeys,
    baseUrls: providerUrls,
    feedProvider,
    paidProviders,
    userAgent: config.gatewayUserAgent,
    maxQueueMs: config.gatewayMaxQueueMs,
    maxHoldMs: config.gatewayMaxHoldMs,
    cacheBytes: config.gatewayCacheBytes,
    memoryBytes: config.gatewayMemoryBytes,
    staleMs: config.gatewayStaleMs,
    operationTimeoutMs: config.gatewayOperationTimeoutMs,
  };
};

/** A backfill waits for its first upload, which takes moments. */
const longestBackfillPauseMs = 5_000;

export interface GatewayParts {
  readonly config: Config;
  readonly sql: Sql;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly tracing: Tracing;
}

const openGateway = ({ config, sql, log, telemetry, tracing }: GatewayParts): Gateway => {
  const settings = gatewaySettings(config);
  const transport = traceTransport(createTransport({ userAgent: settings.userAgent, log }), tracing);
  return createGateway({ settings, sql, log, telemetry, transport });
};

/** For commands of an operator, who may have the keys that npm start made. */
export const openAdminGateway = ({
  config,
  sql,
  log,
}: Omit<GatewayParts, 'telemetry' | 'tracing'>): Gateway => {
  const masterKeys = config.masterKeys ?? readKeyFile(masterKeyFile(config));
  return openGateway({
    config: { ...config, masterKeys },
    sql,
    log,
    telemetry: silentTelemetry,
    tracing: noTracing,
  });
};

/** Providers, keys of users, the feed, and the housekeeping behind them. */
export const createGatewayPart = async (
  core: Core,
  scope: Scope,
  { catalog, receiver }: { catalog: Catalog; receiver: Receiver },
): Promise<{ readonly gateway: Gateway; readonly routes: Route[] }> => {
  const { config, log, sql, metrics, tracing } = core;
  const gateway = openGateway({ config, sql, log, telemetry: createTelemetry(metrics.gateway), tracing });
  if (config.masterKeys === undefined) log.warn('no master key: keys of users at providers cannot be stored');
  await gateway.seed();
  const hasPaid = (config.paidProviders ?? []).length > 0;
  const mayUsePaid = async (accountId: number): Promise<boolean> =>
    !hasPaid || (await planOf(sql, accountId)).paidProviders;
  const callerOf = createGatewayCallers({ mayUsePaid });
  const { seriesDatasets, backfills } = openSeriesDatasets(core, { gateway, catalog, receiver, mayUsePaid });

  // Tasks of their own: neither a long filling of the search index nor a long backfill must hold up refreshes.
  const intervalMs = config.gatewayIntervalMs;
  await scope.defer('questions to providers', gateway.leave);
  const housekeeping = startPeriodic({ name: 'gateway', intervalMs, run: gateway.maintain, log });
  await scope.defer('gateway', housekeeping.stop);
  const refreshes = startPeriodic({
    name: 'series refreshes',
    intervalMs,
    run: async (stop) => {
      await seriesDatasets.runDue(stop);
    },
    log,
  });
  await scope.defer('series refreshes', refreshes.stop);
  const vintages = startPeriodic({
    name: 'series backfills',
    intervalMs: Math.min(intervalMs, longestBackfillPauseMs),
    run: async (stop) => {
      await backfills.runDue(stop);
    },
    log,
  });
  await scope.defer('series backfills', vintages.stop);

  const { access, datasets } = catalog;
  const routes = [
    ...createProviderRoutes({ gateway, callerOf }),
    ...createSeriesRoutes({ gateway, callerOf }),
    ...createSeriesDatasetRoutes({ seriesDatasets, datasets, access, callerOf }),
    ...createUserKeyRoutes(gateway),
    ...createFeedRoutes({ feed: gateway.feed, callerOf }),
  ];
  return { gateway, routes };
};
