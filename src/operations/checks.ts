import type { Check } from '../http/routes/operations.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import { pingDatabase, type Sql } from '../storage/postgres/sql.js';

/**
 * Health checks of a process. Without ClickHouse the API still accepts uploads and serves catalog and console, and the load
 * balancer must not remove all API processes at once.
 */
export const dependencyChecks = (
  { sql, clickhouse }: { readonly sql: Sql; readonly clickhouse: ClickHouseServers },
  of: 'api' | 'worker',
): Check[] => [
  { name: 'database', run: () => pingDatabase(sql) },
  {
    name: 'clickhouse',
    optional: of === 'api',
    run: async () => {
      if (!(await clickhouse.entry.ping())) throw new Error('ClickHouse does not answer');
    },
  },
];
