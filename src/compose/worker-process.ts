import { hostname } from 'node:os';
import { createAuditTrail } from '../catalog/audit-trail.js';
import { removeEndedReads } from '../catalog/export-usage.js';
import { removeEndedSessions } from '../catalog/sessions.js';
import type { Config } from '../config.js';
import { createApp } from '../http/app.js';
import { type Check, createOperationsRoutes } from '../http/routes/operations.js';
import { trimJobs } from '../jobs/records.js';
import { type Build, build as thisBuild } from '../lib/build.js';
import type { Log } from '../lib/log.js';
import type { Scope } from '../lib/scope.js';
import { dependencyChecks } from '../operations/checks.js';
import { makeShardTablesAtStart } from '../rows/index.js';
import { createConsumers } from '../uploads/insert/consumers.js';
import { createConsumingSwitch } from '../uploads/lifecycle/consuming.js';
import { connect, type Listening, requestDrainMs } from './core.js';
import { startIngestWorker } from './ingest-worker.js';
import { openMetrics, refuseKeys } from './metrics-port.js';
import { startRowStatistics } from './row-statistics.js';

/** The worker: consumers, replays, sweeps, and a small HTTP server for its health check. */
export const createWorkerProcess = async (
  config: Config,
  log: Log,
  scope: Scope,
  build: Build = thisBuild,
): Promise<Listening> => {
  const core = await connect(config, log, scope, { name: 'worker', version: build.version });
  const { metrics } = core;
  await makeShardTablesAtStart(core);
  metrics.buildInfo.set({ ...build }, 1);
  const consumers = createConsumers();
  const consuming: Check = { name: 'consumers', run: consumers.check };
  const server = createApp({
    routes: [],
    rootRoutes: [
      ...createOperationsRoutes({ build, checks: [...dependencyChecks(core, 'worker'), consuming] }),
      ...(await openMetrics(core, scope, build.version)),
    ],
    authenticate: refuseKeys,
    log,
    metrics,
    version: build.version,
    documents: false,
  });
  await scope.defer('HTTP server', () => server.close(requestDrainMs(config)));
  const port = await server.listen({ host: config.host, port: config.workerPort, setting: 'WORKER_PORT' });
  const consumingSwitch = await createConsumingSwitch(core);
  await core.jobs.loop('switch of the consumers', {
    everyMs: config.consumingPollMs,
    run: consumingSwitch.poll,
    scope,
  });
  const address = `${hostname()}:${port}`;
  await startIngestWorker(core, scope, { consumers, address, isPaused: consumingSwitch.isPaused });
  await startRowStatistics(core, scope);
  const audit = createAuditTrail({ sql: core.sql });
  await core.jobs.start('trims', {
    everyMs: config.storageSweepIntervalMs,
    run: async () => {
      await audit.drop(config.auditRetentionDays);
      await removeEndedSessions(core.sql);
      await removeEndedReads(core.sql);
      await trimJobs(core.sql);
    },
    scope,
  });
  await core.register({ kind: 'worker', address, build, masterKeys: null });
  log.info({ port }, 'worker ready');
  return { port };
};
