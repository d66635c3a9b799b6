import { join } from 'node:path';
import type { Catalog } from '../catalog/catalog.js';
import { planOf } from '../catalog/plans.js';
import type { Config } from '../config.js';
import { configuredProviders } from '../gateway/configured-providers.js';
import { createGateway, type Gateway } from '../gateway/gateway.js';
import type { GatewaySettings } from '../gateway/gateway-parts.js';
import { parseMasterKeys } from '../gateway/keys/cipher.js';
import { readKeyFile } from '../gateway/keys/key-file.js';
import { meteredTelemetry, silentTelemetry, type Telemetry } from '../gateway/telemetry.js';
import { createTransport } from '../gateway/upstream/transport.js';
import type { Route } from '../http/route.js';
import { createFeedRoutes } from '../http/routes/feed.js';
import { createGatewayCallers, type GatewayCallers } from '../http/routes/gateway-caller.js';
import { createProviderRoutes } from '../http/routes/providers.js';
import { createSeriesRoutes } from '../http/routes/series.js';
import {
  createKeepSeries,
  createSeriesDatasetRoutes,
  type KeepSeries,
} from '../http/routes/series-datasets.js';
import { createUserKeyRoutes } from '../http/routes/user-keys.js';
import type { Leases } from '../jobs/leases.js';
import type { Log } from '../lib/log.js';
import type { Scope } from '../lib/scope.js';
import { noTracing, type Tracing } from '../lib/tracing.js';
import { traceTransport } from '../operations/traced-parts.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Receiver } from '../uploads/receive/receiver.js';
import type { Core } from './core.js';
import { openLeases } from './jobs.js';
import { openSeriesDatasets } from './series-datasets.js';

/** File of the master keys if they are not in the environment. */
export const masterKeyFile = (config: Config): string => join(config.dataDir, 'master-keys');

const gatewaySettings = (config: Config): GatewaySettings => ({
  ...configuredProviders(config),
  masterKeys: parseMasterKeys(config.masterKeys ?? []),
  serviceKeys: config.providerKeys ?? {},
  baseUrls: config.providerUrls ?? {},
  userAgent: config.gatewayUserAgent,
  maxQueueMs: config.gatewayMaxQueueMs,
  maxHoldMs: config.gatewayMaxHoldMs,
  cacheBytes: config.gatewayCacheBytes,
  memoryBytes: config.gatewayMemoryBytes,
  staleMs: config.gatewayStaleMs,
  operationTimeoutMs: config.gatewayOperationTimeoutMs,
});

/** A backfill waits for its first upload, which takes seconds. */
const longestBackfillPauseMs = 5_000;

interface GatewayParts {
  readonly config: Config;
  readonly sql: Sql;
  readonly leases: Leases;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly tracing: Tracing;
}

const openGateway = ({ config, sql, leases, log, telemetry, tracing }: GatewayParts): Gateway => {
  const settings = gatewaySettings(config);
  const transport = traceTransport(createTransport({ userAgent: settings.userAgent, log }), tracing);
  return createGateway({ settings, sql, leases, log, telemetry, transport });
};

/** Gateway for commands of an operator, with the keys that `npm start` has created. */
export const openAdminGateway = ({
  config,
  sql,
  log,
}: Omit<GatewayParts, 'leases' | 'telemetry' | 'tracing'>): Gateway => {
  const masterKeys = config.masterKeys ?? readKeyFile(masterKeyFile(config));
  return openGateway({
    config: { ...config, masterKeys },
    sql,
    leases: openLeases({ config, sql, log }),
    log,
    telemetry: silentTelemetry,
    tracing: noTracing,
  });
};

/** Providers, keys of users, the feed, and their background jobs. */
export const createGatewayPart = async (
  core: Core,
  scope: Scope,
  { catalog, receiver }: { catalog: Catalog; receiver: Receiver },
): Promise<{
  readonly gateway: Gateway;
  readonly callerOf: GatewayCallers;
  readonly keepSeries: KeepSeries;
  readonly routes: Route[];
}> => {
  const { config, jobs, leases, log, sql, metrics, tracing } = core;
  const gateway = openGateway({
    config,
    sql,
    leases,
    log,
    telemetry: meteredTelemetry(metrics.gateway),
    tracing,
  });
  if (config.masterKeys === undefined) log.warn('no master key: keys of users at providers cannot be stored');
  await gateway.seed();
  const hasPaid = (config.paidProviders ?? []).length > 0;
  const mayUsePaid = async (accountId: number): Promise<boolean> =>
    !hasPaid || (await planOf(sql, accountId)).paidProviders;
  const callerOf = createGatewayCallers({ mayUsePaid });
  const { seriesDatasets, backfills } = openSeriesDatasets(core, { gateway, catalog, receiver, mayUsePaid });

  const everyMs = config.gatewayIntervalMs;
  await jobs.start('provider-trims', { everyMs, run: gateway.trim, scope });
  await jobs.start('search-index', { everyMs, run: gateway.fillIndex, scope });
  await jobs.start('series-refreshes', { everyMs, run: seriesDatasets.runDue, scope });
  await jobs.start('series-backfills', {
    everyMs: Math.min(everyMs, longestBackfillPauseMs),
    run: backfills.runDue,
    scope,
  });

  const { access, datasets } = catalog;
  const kept = { seriesDatasets, datasets, access, callerOf };
  const keepSeries = createKeepSeries(kept);
  const routes = [
    ...createProviderRoutes({ gateway, callerOf }),
    ...createSeriesRoutes({ gateway, callerOf }),
    ...createSeriesDatasetRoutes({ ...kept, keepSeries }),
    ...createUserKeyRoutes(gateway),
    ...createFeedRoutes({ feed: gateway.feed, callerOf }),
  ];
  return { gateway, callerOf, keepSeries, routes };
};
