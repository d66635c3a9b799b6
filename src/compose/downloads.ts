import { randomUUID } from 'node:crypto';
import type { Access } from '../catalog/access.js';
import type { Quotas } from '../catalog/quotas.js';
import type { ReadLinks } from '../catalog/read-links.js';
import { readSeriesOf } from '../catalog/refresh-view.js';
import type { StandingRights } from '../catalog/standing-rights.js';
import { type Builds, createBuilds } from '../exports/builds.js';
import { createExportFiles, type ExportFiles } from '../exports/export-files.js';
import { createExportFolder, type ExportFolder } from '../exports/export-folder.js';
import { createExportHousekeeping } from '../exports/housekeeping.js';
import { createLinks, sharedLinkSecret } from '../exports/links.js';
import { measureDisk, measureFiles } from '../exports/measures.js';
import { apiBase } from '../http/app.js';
import { createIdentifyClient } from '../http/client-address.js';
import { seriesSheet } from '../http/content/series-sheet.js';
import type { Route } from '../http/route.js';
import { createApiUrl } from '../http/routes/api-url.js';
import { createDownloadHandler } from '../http/routes/download-handler.js';
import { createDownloadRoutes } from '../http/routes/downloads.js';
import { createFindForDownload, type FindDataset } from '../http/routes/find-dataset.js';
import { createLinkRoutes } from '../http/routes/links.js';
import { createODataRoutes } from '../http/routes/odata.js';
import { createOpenFileRoutes } from '../http/routes/open-files.js';
import { createReadLinkRoutes } from '../http/routes/read-links.js';
import { createRevisionRoutes } from '../http/routes/revisions.js';
import { createSendStoredFile } from '../http/routes/stored-file.js';
import { createSummaryRoutes } from '../http/routes/summary.js';
import { createTableRoutes } from '../http/routes/tables.js';
import { createVersionChangeRoutes } from '../http/routes/version-changes.js';
import type { Semaphores } from '../http/semaphores.js';
import type { JobName } from '../jobs/list.js';
import type { Scope } from '../lib/scope.js';
import { createODataVersions } from '../odata/view.js';
import { traceReader } from '../operations/traced-parts.js';
import { type Comparisons, createComparisons } from '../query/comparison/comparisons.js';
import { createDownloads, type Downloads } from '../query/download.js';
import { createPageTokens } from '../query/paging/page-token.js';
import { createResultCache } from '../query/result-cache.js';
import { createRevisions } from '../query/revisions/revisions.js';
import { createSummariesAhead } from '../query/summary/ahead.js';
import { createColumnValues } from '../query/summary/column-values.js';
import { createSummaries, type Summaries } from '../query/summary/summaries.js';
import { createVersions, type Versions } from '../query/versions.js';
import { createWholeFiles, type WholeFiles } from '../query/whole-file.js';
import { createReadNotes } from '../rows/index.js';
import { limitHeavyQueries } from '../storage/clickhouse/heavy-queries.js';
import { createReader } from '../storage/clickhouse/reader.js';
import { readSetting } from '../storage/postgres/settings.js';
import { openServers } from './clickhouse-servers.js';
import type { Core } from './core.js';
import { openExportStorage } from './export-storage.js';
import { required } from './parts.js';

/** Milliseconds between polls for published versions. */
const aheadIntervalMs = 1_000;

/** Prepares files of versions published from now on: the first call records the start, before any request is served. */
const startPreparing = async (
  name: JobName,
  prepareNew: (stop: AbortSignal) => Promise<void>,
  { jobs }: Core,
  scope: Scope,
): Promise<void> => {
  await prepareNew(new AbortController().signal);
  await jobs.start(name, { everyMs: aheadIntervalMs, run: prepareNew, scope });
};

/** Two jobs, since a long build must not delay the removal of files. */
const keepExportFiles = async (
  core: Core,
  scope: Scope,
  parts: { exportFiles: ExportFiles; builds: Builds; folder: ExportFolder; spoolFolder: string },
): Promise<void> => {
  const { config, jobs, sql, log, metrics } = core;
  const housekeeping = createExportHousekeeping({
    ...parts,
    sql,
    aheadBytes: config.exportsAheadBytes,
    log,
  });
  await jobs.start('export-files', {
    everyMs: config.exportsIntervalMs,
    run: async () => {
      await measureDisk(parts.spoolFolder, metrics.exports);
      await housekeeping.clean();
      await measureFiles(parts.folder, metrics.exports);
    },
    scope,
  });
  await startPreparing('export-files-ahead', housekeeping.prepareNew, core, scope);
};

const keepSummaries = async (
  core: Core,
  scope: Scope,
  parts: { versions: Versions; summaries: Summaries },
): Promise<void> => {
  const { config, sql, log } = core;
  const ahead = createSummariesAhead({ ...parts, sql, cells: config.summariesAheadCells, log });
  await startPreparing('summaries-ahead', ahead.prepareNew, core, scope);
};

/** Maximum connections to each server; semaphores limit the reads. */
const maxReads = 10_000;

/** All parts between a request for rows and its answer. */
export const createDownloadPart = async (
  core: Core,
  scope: Scope,
  {
    access,
    quotas,
    readLinks,
    rights,
    semaphores: { queries: semaphore, calculations, files: fileSemaphore },
  }: {
    access: Access;
    quotas: Quotas;
    readLinks: ReadLinks;
    rights: StandingRights;
    semaphores: Pick<Semaphores, 'queries' | 'calculations' | 'files'>;
  },
): Promise<{
  readonly routes: Route[];
  readonly files: WholeFiles;
  readonly versions: Versions;
  readonly downloads: Downloads;
  readonly summaries: Summaries;
  readonly comparisons: Comparisons;
}> => {
  const { config, log, sql, tracing } = core;
  const url = required(config.clickhouseUrl, 'CLICKHOUSE_URL');
  const untracedReader = createReader({
    servers: await openServers({ ...core, scope }, { maxConnections: maxReads }),
    maxWaitSeconds: config.queryTimeoutSeconds,
    maxMemoryBytes: config.queryMaxMemoryBytes,
    log,
  });
  const reader = limitHeavyQueries(traceReader(untracedReader, url, tracing), calculations);

  const versions = createVersions(sql);
  const { storage, spoolFolder } = await openExportStorage(config, scope);
  const secret = config.linkSecret ?? (await sharedLinkSecret(sql));
  const links = createLinks({
    secret,
    ttlSeconds: config.linkTtlSeconds,
  });
  const builds = createBuilds({ spoolFolder, storage, log });
  const folder = createExportFolder({
    sql,
    storage,
    maxBytes: config.exportsMaxBytes,
    maxAgeMs: config.exportsMaxAgeMs,
    log,
  });
  const stopping = new AbortController();
  const files = createWholeFiles({
    versions,
    reader,
    semaphore,
    aboutOf: async (datasetId) => seriesSheet(await readSeriesOf(sql, datasetId)),
    newQueryId: () => `file/${randomUUID()}`,
  });
  const exportFiles = createExportFiles({
    installation: (await readSetting(sql, 'installation')) ?? '',
    storage,
    builds,
    folder,
    links,
    files,
    maxAgeMs: config.exportsMaxAgeMs,
    signal: stopping.signal,
    log,
  });
  // Stopped after the builds below were aborted, since a run may wait for one.
  await keepExportFiles(core, scope, { exportFiles, builds, folder, spoolFolder });
  await scope.defer('export files', async () => {
    stopping.abort();
    await builds.drain();
  });

  const summaries = createSummaries({ reader, semaphore, calculations, sql });
  await keepSummaries(core, scope, { versions, summaries });

  const comparisons = createComparisons({
    sql,
    versions,
    reader,
    rememberedBytes: config.comparisonsMemoryBytes,
  });

  const send = createSendStoredFile({
    judge: rights.judge,
    quotas,
    exportFiles,
    storage,
    linkTtlSeconds: config.linkTtlSeconds,
  });
  const findReadable: FindDataset = (caller, id) => access.dataset(caller, id, 'Read', 'read');
  const findDataset = createFindForDownload(findReadable, quotas);
  const apiUrl = createApiUrl({
    publicUrl: config.publicUrl,
    identifyClient: createIdentifyClient(config.trustedProxies),
    base: apiBase,
  });
  const pageTokens = createPageTokens(secret);
  const reads = {
    reader,
    semaphore,
    pageTokens,
    readNotes: createReadNotes({
      sql,
      minRows: config.readCopyMinRows,
      keepMs: config.readCopyKeepMs,
      onChanged: (version) => versions.forget(version),
      log,
    }),
  };
  const downloads = createDownloads({ ...reads, versions });
  const odataVersions = createODataVersions(versions);
  const answer = createDownloadHandler({
    quotas,
    downloads,
    resultCache: createResultCache({
      maxBytes: config.resultCacheBytes,
      metrics: core.metrics.resultCache,
    }),
    seriesOf: (id) => readSeriesOf(sql, id),
    exportFiles,
    apiUrl,
    publicMaxAgeSeconds: config.publicMaxAgeSeconds,
  });

  const routes = [
    ...createDownloadRoutes({ findDataset, answer }),
    ...createODataRoutes({
      access,
      quotas,
      versions,
      downloads: createDownloads({ ...reads, versions: odataVersions }),
      apiUrl,
    }),
    ...createOpenFileRoutes({ findReadable, apiUrl }),
    ...createReadLinkRoutes({
      findReadable,
      quotas,
      answer,
      files: { semaphore: fileSemaphore, versions, send },
      downloads,
      readLinks,
      judge: rights.judge,
      apiUrl,
    }),
    ...createSummaryRoutes({
      findDataset,
      versions,
      summaries,
      columnValues: createColumnValues({ reader, semaphore }),
    }),
    ...createVersionChangeRoutes({
      access,
      quotas,
      comparisons,
      versions,
    }),
    ...createRevisionRoutes({
      access,
      quotas,
      revisions: createRevisions({ sql, versions, reader }),
    }),
    ...createLinkRoutes({
      links,
      judge: rights.judge,
      send,
      linkTtlSeconds: config.linkTtlSeconds,
      directSeconds: config.exportsDirectSeconds,
    }),
    ...createTableRoutes({
      findDataset,
      versions,
      send,
      publicMaxAgeSeconds: config.publicMaxAgeSeconds,
    }),
  ];
  return { routes, files, versions, downloads, summaries, comparisons };
};
