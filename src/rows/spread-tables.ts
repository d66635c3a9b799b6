/**
 * Tables of engine `Distributed` on the entry, over the tables of one name on all shards: `ds<storeId>`, `dpool_<class>`.
 * They hold nothing.
 */
import type { NamedColumn, Placement } from '../model/placement.js';
import type { Connection } from '../storage/clickhouse/client.js';
import { type ColumnDefinition, slotColumns, spreadName, storedAs, tableName, tableOf } from './places.js';
import { columnDigests } from './server-tables.js';

export interface SpreadTables {
  /**
   * Makes the table over those of a placement, or adds the columns that it lacks. All shards have them by now.
   */
  ensure(placement: Placement, columns: readonly NamedColumn[]): Promise<void>;
  forget(placement: Placement): void;
  /** Digests of the names of columns, of those of these stores that have such a table. */
  columnDigests(stores: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Idempotent. */
  dropStore(storeId: number): Promise<void>;
}

/** Rows that go to one shard together, so that a read in order seldom changes from one server to another. */
const rowsTogether = 65_536;

const keyColumns: readonly ColumnDefinition[] = [
  { name: '_seg', type: 'UInt64' },
  { name: '_row', type: 'UInt64' },
];

const settings = { max_query_size: '16777216' };

/** Number of the rows that a copy sends to one shard together. ClickHouse chooses the shard by it and by the weights. */
const shardingKey = `cityHash64(_seg, intDiv(_row, ${rowsTogether}))`;

export const createSpreadTables = (entry: Connection, cluster: string): SpreadTables => {
  const { database } = entry;
  /** Columns that are known to exist, per table of the shards. */
  const known = new Map<string, ReadonlySet<string>>();

  const present = (table: string): Promise<ColumnDefinition[]> =>
    entry.rows<ColumnDefinition>(
      `SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String}
       ORDER BY position`,
      { params: { database, table } },
    );

  const create = async (table: string, columns: readonly ColumnDefinition[]): Promise<void> => {
    const list = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
    await entry.command(
      `CREATE TABLE IF NOT EXISTS ${database}.${spreadName(table)} (${list})
       ENGINE = Distributed('${cluster}', '${database}', '${table}', ${shardingKey})`,
      { settings },
    );
  };

  return {
    async ensure(placement, columns) {
      const table = tableOf(placement);
      const wanted =
        placement.pool === null
          ? columns.map((column) => storedAs(column, placement))
          : slotColumns(placement.pool.pool);
      const seen = known.get(table);
      if (seen !== undefined && wanted.every(({ name }) => seen.has(name))) return;
      const over = spreadName(table);
      await create(table, [...keyColumns, ...wanted]);
      const has = await present(over);
      const names = new Set(has.map(({ name }) => name));
      const missing = wanted.filter(({ name }) => !names.has(name));
      if (missing.length > 0)
        await entry.command(
          `ALTER TABLE ${database}.${over} ${missing.map(({ name, type }) => `ADD COLUMN IF NOT EXISTS ${name} ${type}`).join(', ')}`,
          { settings },
        );
      known.set(table, new Set([...names, ...wanted.map(({ name }) => name)]));
    },

    forget: (placement) => void known.delete(tableOf(placement)),

    columnDigests: (stores) => columnDigests(entry, stores, (id) => spreadName(tableName(id))),

    async dropStore(storeId) {
      known.delete(tableName(storeId));
      await entry.command(`DROP TABLE IF EXISTS ${database}.${spreadName(tableName(storeId))}`);
    },
  };
};
