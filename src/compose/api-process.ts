import { hostname } from 'node:os';
import { createAccountExport } from '../accounts/account-export.js';
import { moveRepositories } from '../accounts/ownership.js';
import { createCatalog } from '../catalog/catalog.js';
import { createRepositoryTransfers } from '../catalog/repository-transfers.js';
import type { Config } from '../config.js';
import { parseMasterKeys } from '../gateway/keys/cipher.js';
import { apiBase, createApp } from '../http/app.js';
import { createIdentifyClient } from '../http/client-address.js';
import { createAccountExportRoute } from '../http/routes/account-export.js';
import { createApiUrl } from '../http/routes/api-url.js';
import { createCatalogRoutes } from '../http/routes/catalog.js';
import { createColumnChangeRoutes } from '../http/routes/column-changes.js';
import { createDryRunRoutes } from '../http/routes/dry-runs.js';
import { createLeavingRoute } from '../http/routes/leaving.js';
import { createOperationsRoutes } from '../http/routes/operations.js';
import { createOpsRoutes } from '../http/routes/ops.js';
import { createProcessRoutes } from '../http/routes/processes.js';
import { createReservationRoute } from '../http/routes/reservations.js';
import { createRetentionRoutes } from '../http/routes/retention.js';
import { createTransferRoutes } from '../http/routes/transfers.js';
import { createUploadRoutes } from '../http/routes/uploads.js';
import { createVersionRoutes } from '../http/routes/versions.js';
import { createSemaphores, type Semaphores } from '../http/semaphores.js';
import type { HttpServer } from '../http/server.js';
import { createShutdown } from '../http/shutdown.js';
import { loadWebApp } from '../http/web-app.js';
import { type Build, build as thisBuild } from '../lib/build.js';
import type { Log } from '../lib/log.js';
import { projectPath } from '../lib/project-path.js';
import type { Scope } from '../lib/scope.js';
import { createOpsActions } from '../operations/actions.js';
import { dependencyChecks } from '../operations/checks.js';
import { createConsoleState } from '../operations/console-state.js';
import { createHealthProbe } from '../operations/health-probe.js';
import { refreshPipelineGauges } from '../operations/pipeline-gauges.js';
import { createHomeTurns } from '../rows/index.js';
import { lastBackupSeconds } from '../storage/postgres/last-backup.js';
import { readRejects } from '../uploads/lifecycle/rejects.js';
import { createColumnMergeRequests } from '../versions/columns/column-merge-request.js';
import { createColumnRemoval } from '../versions/columns/column-removal.js';
import { createVersionRecords } from '../versions/version-records.js';
import { leaveFrom } from './accounts.js';
import { type Core, connect, type Listening, requestDrainMs } from './core.js';
import { createDownloadPart } from './downloads.js';
import { createGatewayPart } from './gateway.js';
import { createMcpPart } from './mcp.js';
import { openMetrics } from './metrics-port.js';
import { createOperatorDeadLetters, createOperatorReplay } from './operator.js';
import { createUploadPart } from './uploads.js';

/** The web app built by `npm run build`. */
const webAppFolder = projectPath('dist', 'web');

/** Semaphores of an API process, with the configured limits. */
const openSemaphores = ({ config, metrics }: Core): Semaphores => {
  const semaphores = createSemaphores({
    requests: config.requestsInFlight,
    queries: { maxRunning: config.queriesInFlight, queueLength: config.queriesQueued },
    calls: config.providerCallsInFlight,
    files: config.filesInFlight,
    events: config.eventStreams,
    waitMs: { requests: config.requestWaitMs, answers: config.answerWaitMs },
    onRefused: (kind, what) => metrics.permitsRefused.inc({ kind, what }),
  });
  for (const [kind, each] of Object.entries(semaphores)) metrics.watchSemaphore(kind, each);
  return semaphores;
};

/** Milliseconds between writes of the export counts of plans without limits. */
const exportCountsMs = 1_000;

/** The API: the REST service. */
export const createApiProcess = async (
  config: Config,
  log: Log,
  scope: Scope,
  build: Build = thisBuild,
): Promise<Listening & Pick<HttpServer, 'setDraining'>> => {
  const core = await connect(config, log, scope, { name: 'api', version: build.version });
  const { metrics, sql } = core;
  const catalog = createCatalog({
    sql,
    sessionMaxAgeSeconds: config.sessionMaxAgeSeconds,
    homeTurns: createHomeTurns(core.clickhouse),
  });
  const { access, keyUse, exportCounts } = catalog;
  await scope.defer('days of keys', keyUse.flush);
  await core.jobs.loop('days of keys', { everyMs: config.keyUseIntervalMs, run: keyUse.flush, scope });
  await scope.defer('counts of exports', exportCounts.flush);
  await core.jobs.loop('counts of exports', { everyMs: exportCountsMs, run: exportCounts.flush, scope });
  metrics.buildInfo.set({ ...build }, 1);
  const semaphores = openSemaphores(core);
  const {
    processes,
    reservations,
    receiver,
    dispatcher,
    semaphore: uploadSemaphore,
  } = await createUploadPart(core, scope);
  const downloads = await createDownloadPart(core, scope, { ...catalog, semaphores });
  const providers = await createGatewayPart(core, scope, { catalog, receiver });
  const { gateway, routes: gatewayRoutes } = providers;
  const apiUrl = createApiUrl({
    publicUrl: config.publicUrl,
    identifyClient: createIdentifyClient(config.trustedProxies),
    base: apiBase,
  });
  const probeHealth = createHealthProbe(core);
  const ops = createConsoleState(core, { gateway, probeHealth });
  const metricsRoutes = await openMetrics(core, scope, build.version);
  const shutdown = createShutdown();
  const stopping = (): boolean => shutdown.stopping;
  const server = createApp({
    shutdown,
    routes: [
      ...createCatalogRoutes(catalog),
      ...createTransferRoutes({
        access,
        transfers: createRepositoryTransfers({ sql, access, move: moveRepositories }),
      }),
      createLeavingRoute({ leave: ({ accountId }) => leaveFrom(core, accountId) }),
      ...createUploadRoutes({
        access,
        quotas: catalog.quotas,
        receiver,
        processes,
        reservations,
        semaphore: uploadSemaphore,
        idleMs: config.uploadIdleMs,
        stopping,
      }),
      ...createProcessRoutes({
        access,
        processes,
        dispatcher,
        rejects: (processId) => readRejects(sql, processId),
        stopping,
      }),
      createReservationRoute({ access, processes, reservations, apiUrl }),
      ...createDryRunRoutes({ access, comparisons: downloads.comparisons }),
      ...createColumnChangeRoutes({
        ...catalog,
        removal: createColumnRemoval({ sql, clickhouse: core.clickhouse }),
        merges: createColumnMergeRequests({ sql }),
        processes,
        stopping,
      }),
      ...createRetentionRoutes(catalog),
      ...createVersionRoutes({
        access,
        versions: createVersionRecords(sql),
        comparisons: downloads.comparisons,
      }),
      ...downloads.routes,
      createAccountExportRoute({
        quotas: catalog.quotas,
        accountExport: createAccountExport({ sql, catalog, processes, files: downloads.files, log }),
      }),
      ...gatewayRoutes,
      ...createOpsRoutes({
        ...ops,
        actions: createOpsActions(core, {
          letters: createOperatorDeadLetters(core),
          replay: createOperatorReplay(core),
        }),
        audit: catalog.auditTrail,
      }),
    ],
    rootRoutes: [
      ...createOperationsRoutes({
        build,
        checks: dependencyChecks(core, 'api'),
        draining: () => shutdown.draining,
      }),
      ...metricsRoutes,
      createMcpPart(core, { catalog, query: downloads, providers, semaphores, version: build.version }),
    ],
    hosts: config.mcpHosts ?? [],
    authenticate: catalog.authenticate,
    authenticateSession: catalog.sessions.authenticate,
    onKeyUse: keyUse.count,
    web: await loadWebApp(webAppFolder, { version: build.version, publicUrl: config.publicUrl }),
    endedRights: catalog.rights.findEnded,
    log,
    metrics,
    tracing: core.tracing,
    version: build.version,
    trustedProxies: config.trustedProxies,
    jsonMaxBytes: config.jsonMaxBytes,
    publicUrl: config.publicUrl,
    cors: {
      origins: config.corsOrigins,
      methods: config.corsMethods,
      credentials: config.corsCredentials,
    },
    connections: config.connections,
    headBytes: config.headBytesInFlight,
    bodyBytes: config.bodyBytesInFlight,
    answerBytes: config.answerBytesInFlight,
    maxMeasuredBytes: config.http10MaxBytes,
    semaphores,
  });
  const gauges = {
    metrics,
    probeHealth,
    upstreams: gateway.state,
    lastBackup: () => lastBackupSeconds(sql),
  };
  await core.jobs.loop('watch', {
    everyMs: config.watchIntervalMs,
    run: async () => ops.keep(await refreshPipelineGauges(gauges)),
    scope,
  });
  await scope.defer('HTTP server', () => server.close(requestDrainMs(config), config.drainIdleMs));
  const port = await server.listen({ host: config.host, port: config.port, setting: 'PORT' });
  await core.register({
    kind: 'api',
    address: `${hostname()}:${port}`,
    build,
    masterKeys: parseMasterKeys(config.masterKeys ?? []).map(({ id }) => id),
  });
  log.info({ port }, 'API ready');
  return { port, setDraining: server.setDraining };
};
