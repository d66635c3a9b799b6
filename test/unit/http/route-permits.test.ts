/** The semaphore of each route: no expensive work runs without a permit, and every new route must be added here. */
import { expect, it } from 'vitest';
import type { Route } from '../../../src/http/route.js';
import { createAccountExportRoute } from '../../../src/http/routes/account-export.js';
import { createCatalogRoutes } from '../../../src/http/routes/catalog.js';
import { createColumnChangeRoutes } from '../../../src/http/routes/column-changes.js';
import { createDocsRoutes } from '../../../src/http/routes/docs.js';
import { createDownloadRoutes } from '../../../src/http/routes/downloads.js';
import { createFeedRoutes } from '../../../src/http/routes/feed.js';
import { createLeavingRoute } from '../../../src/http/routes/leaving.js';
import { createLinkRoutes } from '../../../src/http/routes/links.js';
import { createMcpRoute } from '../../../src/http/routes/mcp.js';
import { createMetricsRoute } from '../../../src/http/routes/metrics.js';
import { createODataRoutes } from '../../../src/http/routes/odata.js';
import { createOpenFileRoutes } from '../../../src/http/routes/open-files.js';
import { createOperationsRoutes } from '../../../src/http/routes/operations.js';
import { createOpsRoutes } from '../../../src/http/routes/ops.js';
import { createProcessRoutes } from '../../../src/http/routes/processes.js';
import { createProviderRoutes } from '../../../src/http/routes/providers.js';
import { createReadLinkRoutes } from '../../../src/http/routes/read-links.js';
import { createRetentionRoutes } from '../../../src/http/routes/retention.js';
import { createSeriesRoutes } from '../../../src/http/routes/series.js';
import { createSeriesDatasetRoutes } from '../../../src/http/routes/series-datasets.js';
import { createSummaryRoutes } from '../../../src/http/routes/summary.js';
import { createTableRoutes } from '../../../src/http/routes/tables.js';
import { createTransferRoutes } from '../../../src/http/routes/transfers.js';
import { createUploadRoutes } from '../../../src/http/routes/uploads.js';
import { createUserKeyRoutes } from '../../../src/http/routes/user-keys.js';
import { createVersionChangeRoutes } from '../../../src/http/routes/version-changes.js';
import { createVersionRoutes } from '../../../src/http/routes/versions.js';
import { createWebRoutes } from '../../../src/http/routes/web.js';
import type { PermitKind } from '../../../src/http/semaphores.js';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';

/** Stands in for all dependencies, since no handler runs. */
const nothing = new Proxy({}, { get: () => ({}) }) as never;

const web = createWebRoutes(nothing);

const routes: readonly Route[] = [
  ...createCatalogRoutes(nothing),
  ...createTransferRoutes(nothing),
  createLeavingRoute(nothing),
  createAccountExportRoute(nothing),
  ...createColumnChangeRoutes(nothing),
  ...createUploadRoutes(nothing),
  ...createProcessRoutes(nothing),
  ...createRetentionRoutes(nothing),
  ...createVersionRoutes(nothing),
  ...createDownloadRoutes(nothing),
  ...createODataRoutes(nothing),
  ...createOpenFileRoutes(nothing),
  ...createSummaryRoutes(nothing),
  ...createVersionChangeRoutes(nothing),
  ...createLinkRoutes(nothing),
  ...createReadLinkRoutes(nothing),
  ...createTableRoutes(nothing),
  ...createProviderRoutes(nothing),
  ...createSeriesRoutes(nothing),
  ...createSeriesDatasetRoutes(nothing),
  ...createFeedRoutes(nothing),
  ...createUserKeyRoutes(nothing),
  ...createOpsRoutes(nothing),
  ...createOperationsRoutes({ build: { version: '1', commit: 'c' }, checks: [] }),
  ...web.routes,
  web.page,
  createMetricsRoute({ metrics: createMetrics() }),
  createMcpRoute({ tools: [], version: '1', apiUrl: () => '/api' }),
  ...createDocsRoutes({ openApi: { paths: {} }, apiUrl: () => '/api' }),
];

/** Semaphore by route. `own` says which permit the handler acquires itself, `none` why it needs none. */
const expected: Readonly<Record<string, string>> = {
  'GET /account': 'requests',
  'PUT /account': 'requests',
  'GET /search': 'requests',
  'GET /session': 'requests',
  'POST /session': 'requests',
  'DELETE /session': 'requests',
  'DELETE /account': 'calls',
  'GET /account/export': 'files',
  'GET /account/transfers': 'requests',
  'PUT /account/transfers/:id': 'requests',
  'DELETE /account/transfers/:id': 'requests',
  'GET /account/keys': 'requests',
  'POST /account/keys': 'requests',
  'DELETE /account/keys/:id': 'requests',
  'GET /account/keys/:id/usage': 'requests',
  'GET /repositories': 'requests',
  'GET /repositories/home': 'requests',
  'GET /repositories/default': 'requests',
  'GET /repositories/:id': 'requests',
  'POST /repositories': 'requests',
  'PUT /repositories/:id': 'requests',
  'DELETE /repositories/:id': 'requests',
  'PUT /repositories/:id/transfer': 'requests',
  'DELETE /repositories/:id/transfer': 'requests',
  'GET /datasets': 'requests',
  'GET /datasets/:id': 'requests',
  'POST /datasets': 'requests',
  'PUT /datasets/:id': 'requests',
  'DELETE /datasets/:id': 'requests',
  'POST /datasets/:id/clone': 'requests',
  'GET /datasets/:dataset_id/columns': 'requests',
  'PATCH /datasets/:dataset_id/columns/:column_id': 'own: none while it waits for a merge',
  'DELETE /datasets/:dataset_id/columns/:column_id': 'requests',
  'GET /repositories/:id/permissions': 'requests',
  'PUT /repositories/:id/permissions/:name': 'requests',
  'DELETE /repositories/:id/permissions/:name': 'requests',
  'GET /datasets/:id/permissions': 'requests',
  'PUT /datasets/:id/permissions/:name': 'requests',
  'DELETE /datasets/:id/permissions/:name': 'requests',
  'GET /teams': 'requests',
  'POST /teams': 'requests',
  'GET /teams/:name': 'requests',
  'PUT /teams/:name': 'requests',
  'DELETE /teams/:name': 'requests',
  'PUT /teams/:name/members/:account': 'requests',
  'DELETE /teams/:name/members/:account': 'requests',
  'GET /account/invitations': 'requests',
  'PUT /account/invitations/:team': 'requests',
  'DELETE /account/invitations/:team': 'requests',
  'PUT /datasets/:id/data': 'own: uploads, taken before a byte of the body is read',
  'GET /datasets/:id/processes': 'requests',
  'GET /datasets/:id/processes/:processId': 'requests',
  'DELETE /datasets/:id/processes/:processId': 'requests',
  'GET /datasets/:id/processes/:processId/events': 'events',
  'GET /datasets/:id/processes/:processId/rejects': 'files',
  'GET /datasets/:id/retention': 'requests',
  'PUT /datasets/:id/retention': 'requests',
  'GET /datasets/:id/versions': 'requests',
  'GET /datasets/:id/versions/:versionId': 'requests',
  'PUT /datasets/:id/versions/:versionId': 'requests',
  'POST /datasets/:id/versions/:versionId/restore': 'requests',
  'DELETE /datasets/:id/versions/:versionId': 'requests',
  'GET /datasets/:id/versions/:from/diff/:to': 'queries',
  'GET /datasets/:id/data': 'own: queries, also to build the file of a link',
  'POST /datasets/:id/query': 'own: queries',
  'GET /odata/datasets/:id': 'requests',
  'GET /odata/datasets/:id/:resource': 'own: queries',
  'GET /odata/datasets/:id/:resource/:part': 'own: queries',
  'POST /mcp': 'own: queries or calls, as the tool needs',
  'POST /odata/datasets/:id/$batch': 'own: queries, one part after the other',
  'GET /odata/repositories/:id': 'requests',
  'GET /odata/repositories/:id/:resource': 'own: queries',
  'GET /odata/repositories/:id/:resource/:part': 'own: queries',
  'POST /odata/repositories/:id/$batch': 'own: queries, one part after the other',
  'GET /datasets/:id/open/:kind': 'requests',
  'GET /datasets/:id/summary': 'own: queries, unless the summary is cached',
  'GET /datasets/:id/columns/:column/values': 'own: queries',
  'GET /datasets/:id/versions/:from/diff/:to/rows': 'queries',
  'GET /datasets/:id/processes/:processId/diff/rows': 'queries',
  'GET /datasets/:id/data.csv': 'files',
  'GET /datasets/:id/data.parquet': 'files',
  'GET /links/:token/:name': 'files',
  'POST /datasets/:id/read-links': 'own: queries, while the question is planned',
  'GET /account/read-links': 'requests',
  'PATCH /account/read-links/:id': 'requests',
  'DELETE /account/read-links/:id': 'requests',
  'GET /links/:token': 'own: queries',
  'GET /providers': 'requests',
  'GET /providers/match': 'requests',
  'GET /providers/:slug': 'requests',
  'GET /providers/:slug/quota': 'requests',
  'GET /providers/search': 'requests',
  'GET /providers/:slug/search': 'calls',
  'GET /providers/:slug/browse': 'calls',
  'GET /providers/:slug/series/*seriesId': 'calls',
  'POST /providers/:slug/series/*seriesId/data': 'calls',
  'POST /providers/:slug/series/*seriesId/dataset': 'calls',
  'POST /providers/:slug/series/*seriesId/panel': 'calls',
  'PUT /datasets/:id/refresh': 'requests',
  'POST /datasets/:id/refresh': 'requests',
  'GET /feed/search/:query': 'calls',
  'GET /feed/:symbol/data': 'calls',
  'GET /user-keys': 'requests',
  'PUT /user-keys/:slug': 'requests',
  'GET /ops': 'requests',
  'GET /ops/audit': 'requests',
  'GET /ops/samples': 'requests',
  'GET /ops/uploads': 'requests',
  'GET /ops/uploads/:processId': 'requests',
  'GET /ops/uploads/:processId/chunks': 'requests',
  'POST /ops/uploads/:processId/replay': 'requests',
  'GET /ops/dead-letters': 'requests',
  'GET /ops/dead-letters/:id': 'requests',
  'POST /ops/dead-letters/:id/replay': 'requests',
  'DELETE /ops/dead-letters/:id': 'requests',
  'GET /ops/jobs': 'requests',
  'POST /ops/jobs/:name/run': 'requests',
  'GET /ops/stores': 'requests',
  'PUT /ops/consuming': 'requests',
  'GET /healthz': 'none: constant answer, which supervisors must get under any load',
  'GET /readyz': 'none: supervisors must get it under any load; all callers share one run of the checks',
  'GET /startupz': 'none: supervisors must get it under any load; all callers share one run of the checks',
  'GET /metrics': 'none: needed most when all permits are taken; all callers share one text',
  'GET /': 'requests',
  'GET /assets/:file': 'requests',
  'GET /*page': 'requests',
  'GET /openapi.json': 'requests',
  'GET /docs': 'requests',
  'GET /docs/:file': 'requests',
};

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

it('every route has the semaphore that is listed here', () => {
  const declared = routes.map((route): [string, PermitKind] => [nameOf(route), route.permit ?? 'requests']);
  const kinds = Object.entries(expected).map(([name, text]) => [name, text.split(':', 1)[0]]);
  expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(kinds));
});

it('a route that acquires its own permit says which, and one without says why', () => {
  const texts = Object.values(expected).filter((text) => /^(?:own|none)/.test(text));
  expect(
    texts.filter((text) => !/^(?:own: (?:queries|uploads|none while \w+)|none: \w+ .{10,})/.test(text)),
  ).toEqual([]);
});
