import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatasetAccess } from '../../../src/catalog/access.js';
import type { ExportTicket } from '../../../src/catalog/export-ticket.js';
import type { StandingRights } from '../../../src/catalog/standing-rights.js';
import { createBuilds } from '../../../src/exports/builds.js';
import { createExportFiles, type ExportFiles } from '../../../src/exports/export-files.js';
import type { ExportFolder } from '../../../src/exports/export-folder.js';
import { createLinks } from '../../../src/exports/links.js';
import { createApp } from '../../../src/http/app.js';
import { createDownloadHandler } from '../../../src/http/routes/download-handler.js';
import { createDownloadRoutes } from '../../../src/http/routes/downloads.js';
import { createLinkRoutes } from '../../../src/http/routes/links.js';
import { createSendStoredFile } from '../../../src/http/routes/stored-file.js';
import { createTableRoutes } from '../../../src/http/routes/tables.js';
import { AppError, notFound } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';
import type { Semaphore } from '../../../src/lib/semaphore/semaphore.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { createDownloads } from '../../../src/query/download.js';
import { createPageTokens } from '../../../src/query/paging/page-token.js';
import { createResultCache } from '../../../src/query/result-cache.js';
import type { Versions } from '../../../src/query/versions.js';
import { createWholeFiles } from '../../../src/query/whole-file.js';
import type { Reader } from '../../../src/storage/clickhouse/reader.js';
import { createLocalStorage } from '../../../src/storage/objects/local-storage.js';
import type { ObjectStorage } from '../../../src/storage/objects/object-storage.js';
import { querySemaphore } from '../../support/query-semaphore.js';

/** Downloads over real HTTP, with a map as catalog. */
export interface DownloadServer {
  /** URL of the data route of a version, whose dataset has the same id. */
  dataUrl(version: ReadableVersion, query?: string): string;
  readonly url: string;
  readonly semaphore: Semaphore;
  readonly storage: ObjectStorage;
  readonly exportFiles: ExportFiles;
  /** Bytes of each counted export. */
  readonly counted: number[];
  readonly folder: string;
  close(): Promise<void>;
}

export interface DownloadServerOptions {
  readonly maxRunning?: number;
  readonly queueLength?: number;
  readonly storage?: ObjectStorage;
  readonly nowMs?: () => number;
  readonly maxAgeMs?: number;
  /** Lifetime of redirects to the storage. */
  readonly directSeconds?: number;
  /** @default 0 */
  readonly resultCacheBytes?: number;
}

const countingQuotas = (counted: number[]) => ({
  requireExport: async () => undefined,
  startExport: async (): Promise<ExportTicket> => ({
    spend: () => undefined,
    finish: async (bytes) => {
      counted.push(bytes);
    },
    cancel: async () => undefined,
  }),
});

/** No limits, because there are no accounts without a catalog. */
const unlimitedFolder: ExportFolder = {
  add: async () => undefined,
  use: () => undefined,
  adopt: async () => undefined,
  forget: async () => undefined,
  enforceLimits: async () => 0,
  size: async () => ({ files: 0, bytes: 0 }),
};

export const createDownloadServer = async (
  reader: Reader,
  options: DownloadServerOptions = {},
): Promise<DownloadServer> => {
  const known = new Map<number, ReadableVersion>();
  const versions: Versions = {
    async find({ datasetId, versionId }) {
      const version = known.get(datasetId);
      if (version === undefined || (versionId !== undefined && versionId !== version.versionId)) {
        throw notFound('unknown_version', 'No such version.');
      }
      return version;
    },
    at: () => Promise.reject(new Error('no points in time here')),
    remembered: (datasetId) => known.get(datasetId),
    forget: () => undefined,
  };
  const findDataset = async (_caller: unknown, id: number): Promise<DatasetAccess> => {
    if (!known.has(id)) throw notFound('dataset_not_found', 'No such dataset.');
    const noLimits = { maxStoredBytes: null, maxDatasetRows: null, maxColumns: null, maxUploadBytes: null };
    return {
      id,
      name: `Prices/${id} é`,
      repositoryId: 1,
      storeId: id,
      privacy: 'Public',
      level: 'Read',
      currentVersionId: id,
      columnsRevision: 0,
      ownerId: 1,
      own: true,
      limits: noLimits,
      uploadQuota: { maxBytes: null, maxRows: null, maxColumns: null },
    };
  };
  const folder = await mkdtemp(join(tmpdir(), 'downloads-'));
  const storage = options.storage ?? createLocalStorage(join(folder, 'files'));
  const { maxRunning = 8, queueLength = 8, nowMs = Date.now } = options;
  const semaphore = querySemaphore({ maxRunning, queueLength, maxWaitMs: 30_000 });
  const stop = new AbortController();
  const counted: number[] = [];
  const linkTtlSeconds = 60;
  const links = createLinks({ secret: 's'.repeat(32), ttlSeconds: linkTtlSeconds, now: nowMs });
  const builds = createBuilds({ spoolFolder: join(folder, 'spool'), storage, log: silentLog });
  let queries = 0;
  const files = createWholeFiles({
    versions,
    reader,
    semaphore,
    aboutOf: async () => undefined,
    newQueryId: () => `${folder}-${queries++}`,
  });
  const exportFiles = createExportFiles({
    installation: 'tests',
    storage,
    builds,
    folder: unlimitedFolder,
    links,
    files,
    maxAgeMs: options.maxAgeMs ?? 86_400_000,
    signal: stop.signal,
    log: silentLog,
  });
  let url = '';
  const judge: StandingRights['judge'] = async (rights) => rights.map(() => ({ caller: undefined }));
  const send = createSendStoredFile({
    judge,
    quotas: countingQuotas(counted),
    exportFiles,
    storage,
    linkTtlSeconds,
  });
  const app = createApp({
    routes: [
      ...createDownloadRoutes({
        findDataset,
        answer: createDownloadHandler({
          quotas: countingQuotas(counted),
          downloads: createDownloads({
            versions,
            reader,
            semaphore,
            pageTokens: createPageTokens('t'.repeat(32)),
          }),
          resultCache: createResultCache({
            maxBytes: options.resultCacheBytes ?? 0,
            metrics: createMetrics().resultCache,
          }),
          seriesOf: async () => [],
          exportFiles,
          apiUrl: () => `${url}/api`,
          publicMaxAgeSeconds: 0,
        }),
      }),
      ...createLinkRoutes({
        links,
        judge,
        send,
        linkTtlSeconds,
        directSeconds: options.directSeconds ?? 0,
      }),
      ...createTableRoutes({
        findDataset,
        versions,
        send,
        publicMaxAgeSeconds: 0,
      }),
    ],
    rootRoutes: [],
    authenticate: async () => {
      throw new AppError('unauthenticated', 'bad_key', 'No keys here.');
    },
    log: silentLog,
    metrics: createMetrics(),
    version: '0',
    documents: false,
  });
  const port = await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${port}`;
  return {
    url,
    semaphore,
    storage,
    exportFiles,
    counted,
    folder,
    dataUrl(version, query = '') {
      known.set(version.datasetId, version);
      return `${url}/api/datasets/${version.datasetId}/data${query === '' ? '' : `?${query}`}`;
    },
    async close() {
      stop.abort();
      await app.close(1_000);
      await builds.drain();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
