import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Access } from '../catalog/access.js';
import type { Quotas } from '../catalog/quotas.js';
import { createBuilds } from '../exports/builds.js';
import { createExportFiles } from '../exports/export-files.js';
import { createLinks } from '../exports/links.js';
import { apiBase } from '../http/app.js';
import type { Route } from '../http/route.js';
import { createApiUrl } from '../http/routes/api-url.js';
import { createDownloadRoutes } from '../http/routes/downloads.js';
import { createLinkRoutes } from '../http/routes/links.js';
import { systemClock } from '../lib/clock.js';
import type { Scope } from '../lib/scope.js';
import { createDownloads } from '../query/download.js';
import { createSlots } from '../query/slots.js';
import { createVersions } from '../query/versions.js';
import { createWholeFiles } from '../query/whole-file.js';
import { createReader } from '../storage/clickhouse/reader.js';
import { createLocalStore } from '../storage/objects/local-store.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type Core, required } from './core.js';

/** Longest that a download waits for a place. */
const slotWaitMs = 10_000;

/** The secret of all API processes: from the settings, else made once and kept in the database. */
const linkSecret = async (sql: Sql, given: string | undefined): Promise<string> => {
  if (given !== undefined) return given;
  const [row] = await sql.query<{ value: string }>(
    `INSERT INTO settings (name, value) VALUES ('link_secret', $1)
     ON CONFLICT (name) DO UPDATE SET value = settings.value RETURNING value`,
    [randomBytes(32).toString('hex')],
  );
  if (row === undefined) throw new Error('the link secret was not returned');
  return row.value;
};

/** Everything from a question for rows to its answer. */
export const createDownloadPart = async (
  core: Core,
  scope: Scope,
  { access, quotas }: { access: Access; quotas: Quotas },
): Promise<Route[]> => {
  const { config, log, sql } = core;
  const reader = createReader({
    url: required(config.clickhouseUrl, 'CLICKHOUSE_URL'),
    database: config.clickhouseDatabase,
    maxWaitSeconds: config.queryTimeoutSeconds,
    maxMemoryBytes: config.queryMaxMemoryBytes,
    log,
  });
  await scope.defer('ClickHouse reads', reader.close);

  const versions = createVersions(sql);
  const slots = createSlots({
    places: config.queriesInFlight,
    queueLength: config.queriesQueued,
    maxWaitMs: slotWaitMs,
  });
  const { exportsUrl } = config;
  const folder = exportsUrl === undefined ? join(config.dataDir, 'exports') : fileURLToPath(exportsUrl);
  const store = createLocalStore(folder);
  const links = createLinks({
    secret: await linkSecret(sql, config.linkSecret),
    ttlSeconds: config.linkTtlSeconds,
    clock: systemClock,
  });
  const builds = createBuilds({ spoolFolder: join(folder, 'spool'), store, log });
  await builds.tidy();
  const stopping = new AbortController();
  const exportFiles = createExportFiles({
    store,
    builds,
    links,
    files: createWholeFiles({ versions, reader, slots, newQueryId: () => `file/${randomUUID()}` }),
    linkTtlSeconds: config.linkTtlSeconds,
    signal: stopping.signal,
    log,
  });
  await scope.defer('export files', async () => {
    stopping.abort();
    await builds.drain();
  });

  return [
    ...createDownloadRoutes({
      authorize: (caller, id) => access.dataset(caller, id, 'Read', 'read'),
      quotas,
      downloads: createDownloads({ versions, reader, slots }),
      exportFiles,
      apiUrl: createApiUrl({ publicUrl: config.publicUrl, trustProxy: config.trustProxy, base: apiBase }),
      publicMaxAgeSeconds: config.publicMaxAgeSeconds,
    }),
    ...createLinkRoutes({ links, exportFiles, store, linkTtlSeconds: config.linkTtlSeconds }),
  ];
};
