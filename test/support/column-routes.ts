import { inject } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.js';
import type { Route } from '../../src/http/route.js';
import { createColumnChangeRoutes } from '../../src/http/routes/column-changes.js';
import { createClickHouse } from '../../src/storage/clickhouse/client.js';
import type { Sql } from '../../src/storage/postgres/sql.js';
import { createProcessRecords } from '../../src/uploads/lifecycle/process-records.js';
import { createColumnMergeRequests } from '../../src/versions/columns/column-merge-request.js';
import { createColumnRemoval } from '../../src/versions/columns/column-removal.js';

/** Dependencies of the routes that change columns, for an API without workers. */
export const columnRoutes = ({ catalog, sql }: { catalog: Catalog; sql: Sql }): Route[] =>
  createColumnChangeRoutes({
    ...catalog,
    removal: createColumnRemoval({
      sql,
      clickhouse: createClickHouse({ url: inject('clickhouseUrl'), database: 'default' }),
    }),
    merges: createColumnMergeRequests({ sql }),
    processes: createProcessRecords(sql),
    stopping: () => false,
  });
