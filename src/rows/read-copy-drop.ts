/** Drops unneeded tables of read copies (read-copies.ts). */
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import type { Sql } from '../storage/postgres/sql.js';
import { createDdl, runAll } from './ddl.js';
import { forgetTables, madeTables, unknownTables } from './read-copy-records.js';
import { tableNames } from './server-tables.js';

/** Pattern of their names: version and attempt. */
export const copyTables = '^r[0-9]+_[0-9a-f]+$';

/** Drops tables that PostgreSQL does not know, such as those of deleted versions, and forgets copies without a table. */
export const createDropCopies = (sql: Sql, servers: ClickHouseServers): (() => Promise<void>) => {
  const ddl = createDdl(servers.database, servers.engine);
  return async () => {
    // PostgreSQL gets the name before the table exists, and the copy after: one in progress is neither lost nor unknown.
    const made = await madeTables(sql);
    const lists = servers.shards.map(async ({ clickhouse }) => {
      const tables = await tableNames(clickhouse, copyTables);
      return tables.map((table) => ({ clickhouse, table }));
    });
    const found = (await Promise.all(lists)).flat();
    const present = new Set(found.map(({ table }) => table));
    const lost = made.filter((table) => !present.has(table));
    if (lost.length > 0) await forgetTables(sql, lost);
    const unknown = new Set(await unknownTables(sql, [...present]));
    // Reads in progress finish on the dropped table.
    for (const { clickhouse, table } of found)
      if (unknown.has(table)) await runAll(clickhouse, ddl.dropTable(table));
  };
};
