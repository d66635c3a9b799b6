import { randomUUID } from 'node:crypto';
import { AppError } from '../lib/errors.js';
import type { ClickHouse } from '../storage/clickhouse/client.js';
import { sharedSetting } from '../storage/postgres/settings.js';
import type { Sql } from '../storage/postgres/sql.js';

/**
 * Binds the catalog in PostgreSQL and the rows in ClickHouse to each other by one id that both hold. The sweep drops
 * rows that the catalog does not know: with the catalog of another installation (an empty one, a wrong address)
 * it would drop everything.
 * @throws AppError when ClickHouse holds the rows of another catalog.
 */
export const bindInstallation = async (sql: Sql, clickhouse: ClickHouse): Promise<void> => {
  const own = await sharedSetting(sql, 'installation', randomUUID());
  const table = `${clickhouse.database}.installation`;
  await clickhouse.command(`CREATE TABLE IF NOT EXISTS ${table} (id String) ENGINE = MergeTree ORDER BY id`);
  const found = await clickhouse.rows<{ id: string }>(`SELECT DISTINCT id FROM ${table}`);
  if (found.some(({ id }) => id !== own)) {
    throw new AppError(
      'conflict',
      'foreign_rows',
      `The ClickHouse database ${clickhouse.database} belongs to another catalog: set CLICKHOUSE_DATABASE to another name or DATABASE_URL to its catalog.`,
    );
  }
  if (found.length === 0) {
    await clickhouse.command(`INSERT INTO ${table} SETTINGS async_insert = 0 VALUES ({id:String})`, {
      params: { id: own },
    });
  }
};
