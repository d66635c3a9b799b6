import { createCatalog } from '../catalog/catalog.js';
import type { Config } from '../config.js';
import { createApp } from '../http/app.js';
import { createCatalogRoutes } from '../http/routes/catalog.js';
import { createOperationsRoutes } from '../http/routes/operations.js';
import { createOpsPageRoutes, createOpsRoutes } from '../http/routes/ops.js';
import { createProcessRoutes } from '../http/routes/processes.js';
import { createUploadRoutes } from '../http/routes/uploads.js';
import { createVersionRoutes } from '../http/routes/versions.js';
import type { HttpServer } from '../http/server.js';
import { createLayoutProposal } from '../ingest/layout-proposal.js';
import { createProcessStore } from '../ingest/process-store.js';
import { createReceiver } from '../ingest/receiver.js';
import { readRejects } from '../ingest/rejects.js';
import { createVersionDiff } from '../ingest/version-diff.js';
import { createVersionPublisher } from '../ingest/version-publisher.js';
import { createVersionStore } from '../ingest/version-store.js';
import type { Log } from '../lib/log.js';
import type { Scope } from '../lib/scope.js';
import { createSlots } from '../lib/slots.js';
import { createChunkProducer } from '../storage/kafka/chunk-producer.js';
import { countPartitions } from '../storage/kafka/topics.js';
import { type Core, checksOf, connect, type Listening, listen } from './core.js';
import { createDownloadPart } from './downloads.js';
import { createGatewayPart } from './gateway.js';
import { createOpsState } from './ops.js';

/** The parts of the API that take uploads in. */
const createIntake = async (core: Core, scope: Scope) => {
  const { config, log, sql, kafka, topics, metrics } = core;
  const producer = await createChunkProducer({
    kafka,
    topics,
    partitions: await countPartitions(kafka, topics.bulk),
    patienceMs: config.sendPatienceMs,
    log,
  });
  await scope.defer('producer', producer.close);
  const processes = createProcessStore(sql);
  const publisher = createVersionPublisher({
    sql,
    log,
    onPublished: () => metrics.versionsPublished.inc(),
  });
  const receiver = createReceiver({
    processes,
    proposal: createLayoutProposal({ sql, processes }),
    publisher,
    producer,
    limits: {
      maxBytes: config.uploadMaxBytes,
      maxCompressedBytes: config.uploadMaxCompressedBytes,
      maxRatio: config.uploadMaxRatio,
      idleMs: config.uploadIdleMs,
      minBytesPerSecond: config.uploadMinBytesPerSecond,
    },
    firstChunkBytes: config.firstChunkBytes,
    chunkBytes: config.chunkBytes,
    maxRecordBytes: config.maxRecordBytes,
    heartbeatMs: Math.floor(config.receiveTimeoutMs / 6),
    log,
  });
  return { processes, receiver, publisher };
};

/** The API: the REST service. */
export const createApiProcess = async (
  config: Config,
  log: Log,
  scope: Scope,
  version: string,
): Promise<Listening> => {
  const core = await connect(config, log, scope);
  const { metrics, sql } = core;
  const catalog = createCatalog({ sql });
  const { access } = catalog;
  const { processes, receiver, publisher } = await createIntake(core, scope);
  const downloads = await createDownloadPart(core, scope, catalog);
  const { gateway, routes: gatewayRoutes } = await createGatewayPart(core, scope, { catalog, receiver });
  const ops = { state: createOpsState(core, gateway) };
  const server: HttpServer = createApp({
    routes: [
      ...createCatalogRoutes(catalog),
      ...createUploadRoutes({
        access,
        quotas: catalog.quotas,
        receiver,
        processes,
        slots: createSlots(config.maxUploadsInFlight),
        idleMs: config.uploadIdleMs,
      }),
      ...createProcessRoutes({
        access,
        processes,
        publisher,
        rejects: (processId) => readRejects(sql, processId),
      }),
      ...createVersionRoutes({
        access,
        versions: createVersionStore(sql),
        diff: createVersionDiff({ sql, clickhouse: core.clickhouse }),
      }),
      ...downloads,
      ...gatewayRoutes,
      ...createOpsRoutes(ops),
    ],
    rootRoutes: [
      ...createOperationsRoutes({
        version,
        metrics,
        checks: checksOf(core),
        draining: () => server.draining,
      }),
      ...createOpsPageRoutes(ops),
    ],
    authenticate: catalog.authenticate,
    log,
    metrics,
    version,
    trustProxy: config.trustProxy,
    cors: { origins: config.corsOrigins, methods: config.corsMethods },
  });
  await scope.defer('HTTP server', () => server.close(config.drainTimeoutMs));
  const port = await listen(server, config.host, config.port, 'PORT');
  log.info({ port }, 'API ready');
  return { port };
};
