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
 * Creates the tables of stores that are everywhere on shards that lack them: new shards, or shards that were down when the tables were
 * created. Until then these stores cannot be read. Records the number of shards. Idempotent.
 */
export const makeShardTables = async ({ sql, clickhouse, tables, log }: ShardTablesParts): Promise<void> => {
  const { shards, isCluster } = servedBy(clickhouse);
  if (isCluster) await noteShards(sql, shards.length);
  const made = await tables.repair(await everywhereStores(sql));
  if (made > 0) log.info({ stores: made }, 'tables made that a shard lacked');
};

/** Runs `makeShardTables` when a worker starts. Does not fail if a server is down: the sweep tries again. */
export const makeShardTablesAtStart = async (parts: ShardTablesParts): Promise<void> => {
  try {
    await makeShardTables(parts);
  } catch (error) {
    parts.log.warn({ err: error }, 'tables that a shard lacks not made');
  }
};
