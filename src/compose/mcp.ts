import type { Catalog } from '../catalog/catalog.js';
import { rereadDataset } from '../catalog/datasets.js';
import type { Gateway } from '../gateway/gateway.js';
import { apiBase } from '../http/app.js';
import { createIdentifyClient } from '../http/client-address.js';
import type { Route } from '../http/route.js';
import { createApiUrl } from '../http/routes/api-url.js';
import { startExport } from '../http/routes/download-answer.js';
import { createFindForDownload } from '../http/routes/find-dataset.js';
import type { GatewayCallers } from '../http/routes/gateway-caller.js';
import { createMcpRoute } from '../http/routes/mcp.js';
import type { KeepSeries } from '../http/routes/series-datasets.js';
import type { Semaphores } from '../http/semaphores.js';
import { createCompareVersions } from '../mcp/tools/compare-versions.js';
import { createDescribeDataset } from '../mcp/tools/describe-dataset.js';
import { createKeepSeriesTool } from '../mcp/tools/keep-series.js';
import { createQueryDataset } from '../mcp/tools/query-dataset.js';
import { createSearchDatasets } from '../mcp/tools/search-datasets.js';
import { createSeriesTools } from '../mcp/tools/series.js';
import type { Caller } from '../model/permission.js';
import type { Comparisons } from '../query/comparison/comparisons.js';
import type { Downloads } from '../query/download.js';
import type { Summaries } from '../query/summary/summaries.js';
import type { Versions } from '../query/versions.js';
import { createVersionRecords } from '../versions/version-records.js';
import type { Core } from './core.js';

export interface McpParts {
  readonly catalog: Catalog;
  readonly query: {
    readonly versions: Versions;
    readonly downloads: Downloads;
    readonly summaries: Summaries;
    readonly comparisons: Comparisons;
  };
  readonly providers: {
    readonly gateway: Gateway;
    readonly callerOf: GatewayCallers;
    readonly keepSeries: KeepSeries;
  };
  readonly semaphores: Semaphores;
  readonly version: string;
}

/** MCP server over the parts of the API. */
export const createMcpPart = (
  { config, sql }: Core,
  { catalog, query, providers, semaphores, version }: McpParts,
): Route => {
  const { access, quotas, repositories, search } = catalog;
  const { gateway, callerOf, keepSeries } = providers;
  const reads = {
    ...query,
    findDataset: createFindForDownload((caller, id) => access.dataset(caller, id, 'Read', 'read'), quotas),
    startExport: (caller: Caller, rows: number) => startExport(quotas, caller, rows),
    versionRecords: createVersionRecords(sql),
  };
  const calls = semaphores.calls;
  return createMcpRoute({
    version,
    apiUrl: createApiUrl({
      publicUrl: config.publicUrl,
      identifyClient: createIdentifyClient(config.trustedProxies),
      base: apiBase,
    }),
    tools: [
      createSearchDatasets({ search }),
      createDescribeDataset({
        ...reads,
        read: (caller, id, versionId) => rereadDataset(sql, caller, id, versionId),
      }),
      createQueryDataset(reads),
      createCompareVersions({ ...reads, semaphore: semaphores.queries }),
      ...createSeriesTools({ gateway, callerOf, semaphore: calls }),
      ...(config.mcpWrites
        ? [createKeepSeriesTool({ keepSeries, homeOf: repositories.home, semaphore: calls })]
        : []),
    ],
  });
};
