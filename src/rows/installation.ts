import { randomUUID } from 'node:crypto';
import { AppError } from '../lib/errors.js';
import type { Connection } from '../storage/clickhouse/client.js';
import { type Engine, mergeTree } from '../storage/clickhouse/engine.js';
import { storeUnavailable } from '../storage/clickhouse/errors.js';
import { sharedSetting } from '../storage/postgres/settings.js';
import type { Sql } from '../storage/postgres/sql.js';
import { createDdl, runAll } from './ddl.js';

/**
 * Binds the catalog in PostgreSQL and the rows in ClickHouse to each other: both store the same id. Otherwise the sweep, which drops rows
 * that the catalog does not know, would drop everything if it had the catalog of another installation. Returns the id.
 * @throws AppError if ClickHouse has rows of another catalog.
 */
export const bindInstallation = async (
  sql: Sql,
  clickhouse: Connection,
  engine: Engine = mergeTree,
): Promise<string> => {
  const own = await sharedSetting(sql, 'installation', randomUUID());
  const table = `${clickhouse.database}.installation`;
  const ddl = createDdl(clickhouse.database, engine);
  await runAll(clickhouse, ddl.createNote('installation', { name: 'id', type: 'String' }));
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
  return own;
};

/**
 * Binds a server to its shard number: PostgreSQL records by number where rows are, and the sweep drops rows on wrong shards. A server whose
 * number has changed, because `remote_servers` was reordered, gets no statements.
 * @throws AppError if it was another shard before.
 */
export const bindShard = async (clickhouse: Connection, number: number, engine: Engine): Promise<void> => {
  const table = `${clickhouse.database}.installation_shard`;
  const ddl = createDdl(clickhouse.database, engine);
  await runAll(clickhouse, ddl.createNote('installation_shard', { name: 'number', type: 'UInt32' }));
  const found = await clickhouse.rows<{ number: number }>(`SELECT DISTINCT number FROM ${table}`);
  const other = found.find((row) => row.number !== number);
  if (other !== undefined)
    throw storeUnavailable(
      new Error(
        `a server of CLICKHOUSE_CLUSTER is shard ${number} and was shard ${other.number}: keep the order of remote_servers, and add shards at its end`,
      ),
    );
  if (found.length === 0)
    await clickhouse.command(`INSERT INTO ${table} SETTINGS async_insert = 0 VALUES ({number:UInt32})`, {
      params: { number },
    });
};
