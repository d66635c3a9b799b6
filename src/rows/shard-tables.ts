import type { Log } from '../lib/log.js';
import { type ClickHouseServers, servedBy } from '../storage/clickhouse/client.js';
import type { Sql } from '../storage/postgres/sql.js';
import { everywhereStores, noteShards } from './stores.js';
import type { RowTables } from './tables.js';

export interface ShardTablesParts {
  readonly sql: Sql;
  readonly clickhouse: Pick<ClickHouseServers, 'shards' | 'engine'>;
  readonly tables: RowTables;
  readonly log: Log;
}

/**
 * Makes the tables of stores that are everywhere, where a shard lacks them, without which none of them can be read: one that is new, or
 * was away when they were made. Notes how many shards there are. Idempotent.
 */
export const makeShardTables = async ({ sql, clickhouse, tables, log }: ShardTablesParts): Promise<void> => {
  const { shards, isCluster } = servedBy(clickhouse);
  if (isCluster) await noteShards(sql, shards.length);
  const made = await tables.repair(await everywhereStores(sql));
  if (made > 0) log.info({ stores: made }, 'tables made that a shard lacked');
};

/** The same at the start of a worker, which a server that is away does not hold up: the sweep comes to it. */
export const makeShardTablesAtStart = async (parts: ShardTablesParts): Promise<void> => {
  try {
    await makeShardTables(parts);
  } catch (error) {
    parts.log.warn({ err: error }, 'tables that a shard lacks not made');
  }
};
