/**
 * Spreads a large dataset over all shards. No row is copied: stored rows stay where they are and are read with the rest; new chunks go
 * to the shards in turn.
 *
 *   1 lock     the datasets of the store and the store itself, so that no other process starts writing it
 *   2 check    that no other upload or compaction writes the store; otherwise a later upload tries again
 *   3 check    that no other shard has a table or pool rows of the store, which would be read with the rest. The sweep drops such
 *              leftovers, and a later upload tries again
 *   4 create   the tables of the store, with all columns, on every shard, and the `Distributed` tables over them on every node
 *   5 set      `stores.everywhere`; readers that started earlier read only the home
 */

import { messageOf } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import { type NamedColumn, namedColumnOf } from '../model/column.js';
import type { ClickHouseServers, Connection } from '../storage/clickhouse/client.js';
import { ifTableExists } from '../storage/clickhouse/errors.js';
import { holdDatasetsOf } from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type PoolPlace, poolName, tablePlace } from './place.js';
import type { PoolClass } from './slots.js';
import { noteShards, placeEverywhere } from './stores.js';
import type { OwnTable, RowTables } from './tables.js';

export interface GrowingUpload {
  readonly processId: number;
  readonly datasetId: number;
  readonly storeId: number;
  /** True if the new version has no rows of the previous one. */
  readonly replaces: boolean;
  /** Bytes received or announced. */
  readonly bytes: number;
  readonly columns: readonly NamedColumn[];
}

export interface Everywhere {
  /** Spreads the dataset over all shards if it has become large. Returns true if this upload need not check again. */
  consider(upload: GrowingUpload): Promise<boolean>;
}

export interface EverywhereOptions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  readonly tables: Pick<RowTables, 'ensure' | 'forget' | 'columnNames' | 'listOwnTables'>;
  /** Condition that an upload or a compaction other than the process `except` writes the store with this alias. */
  readonly isWritten: (store: string, except: string) => string;
  /** Raw bytes from which a dataset is on all shards. */
  readonly minBytes: number;
  readonly log: Log;
}

export const createEverywhere = (options: EverywhereOptions): Everywhere => {
  const { sql, clickhouse: servers, tables, isWritten, minBytes, log } = options;

  const bytesBefore = async ({ datasetId, replaces }: GrowingUpload): Promise<number> => {
    if (replaces) return 0;
    const [version] = await sql.query<{ bytes: number }>(
      `SELECT v.byte_size AS bytes FROM datasets d JOIN versions v ON v.id = d.current_version_id WHERE d.id = $1`,
      [datasetId],
    );
    return version?.bytes ?? 0;
  };

  const hasRows = (clickhouse: Connection, pool: PoolClass, ids: readonly number[]): Promise<boolean> =>
    ifTableExists(async () => {
      const found = await clickhouse.rows(
        `SELECT 1 FROM ${servers.database}.${poolName(pool)} WHERE _seg IN {ids:Array(UInt64)} LIMIT 1`,
        { params: { ids } },
      );
      return found.length > 0;
    }, false);

  /** Shards other than the home with a table or rows under the number of the store. */
  const shardsWithLeftovers = async (tx: Sql, { storeId, shard: home }: OwnTable): Promise<number[]> => {
    const owned = (await tables.listOwnTables()).filter((table) => table.storeId === storeId);
    const pooled = await tx.query<{ pool: PoolClass; ids: number[] }>(
      `SELECT m.pool, array_agg(g.id) AS ids FROM segments g JOIN slot_maps m ON m.id = g.slot_map_id
       WHERE g.store_id = $1 GROUP BY m.pool`,
      [storeId],
    );
    const found = owned.map(({ shard }) => shard);
    for (const { number, clickhouse } of servers.shards)
      for (const { pool, ids } of pooled)
        if (number !== home && (await hasRows(clickhouse, pool, ids))) found.push(number);
    return [...new Set(found)].filter((shard) => shard !== home);
  };

  const makeTables = async (
    tx: Sql,
    { storeId, shard }: OwnTable,
    columns: readonly NamedColumn[],
  ): Promise<void> => {
    // Tables of a failed attempt may have been dropped since.
    tables.forget(tablePlace({ storeId, shard: null }));
    const before = (await tables.columnNames({ storeId, shard })).map(namedColumnOf);
    const all = new Map([...before, ...columns].map((column) => [column.name, column]));
    await tables.ensure(tablePlace({ storeId, shard: null }), [...all.values()]);
    const maps = await tx.query<PoolPlace>(
      'SELECT DISTINCT ON (pool) id AS "mapId", pool, slots FROM slot_maps WHERE store_id = $1',
      [storeId],
    );
    for (const { pool } of maps) await tables.ensure(tablePlace({ storeId, shard: null, pool }), []);
  };

  const spread = ({ processId, storeId, columns }: GrowingUpload): Promise<boolean> =>
    sql.tx(async (tx) => {
      await holdDatasetsOf(tx, storeId);
      const [store] = await tx.query<{ shard: number; busy: boolean }>(
        `SELECT s.shard, s.everywhere OR ${isWritten('s', '$2')} AS busy FROM stores s WHERE s.id = $1 FOR NO KEY UPDATE`,
        [storeId, processId],
      );
      if (store === undefined || store.busy) return false;
      const home = { storeId, shard: store.shard };
      const shards = await shardsWithLeftovers(tx, home);
      if (shards.length > 0) throw new Error(`left-over rows or tables of it on shard ${shards.join(', ')}`);
      await makeTables(tx, home, columns);
      await noteShards(tx, servers.shards.length);
      await placeEverywhere(tx, storeId);
      return true;
    });

  return {
    async consider(upload) {
      const { storeId, bytes } = upload;
      if (bytes < minBytes && bytes + (await bytesBefore(upload)) < minBytes) return false;
      try {
        if (await spread(upload)) log.info({ store: storeId, bytes }, 'dataset is on all shards from now on');
      } catch (error) {
        // The upload continues at home.
        log.warn({ err: error, store: storeId, reason: messageOf(error) }, 'dataset stays at home');
      }
      return true;
    },
  };
};
