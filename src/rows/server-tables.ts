/** The tables of stores on one server. */
import type { Connection } from '../storage/clickhouse/client.js';
import { isUnknownTable } from '../storage/clickhouse/errors.js';
import {
  createIntakeTables,
  type IntakeTableOptions,
  type IntakeTables,
  tableNames,
} from './intake-tables.js';
import { tableName } from './places.js';
import { createTableDefinitions, type TableDefinitions } from './table-definitions.js';

export interface ServerTables extends IntakeTables, Pick<TableDefinitions, 'ensure' | 'forget'> {
  /** Removes the rows of segments from the table of their store. Idempotent. */
  dropSegments(storeId: number, segmentIds: readonly number[]): Promise<void>;
  /** Removes the table of a store. Idempotent. */
  dropStore(storeId: number): Promise<void>;
  /** Names of the columns of a store's table; none without one. */
  columnNames(storeId: number): Promise<string[]>;
  /** Every segment of which the tables of stores hold rows. */
  listSegments(): Promise<{ storeId: number; segmentId: number }[]>;
  /** Digests of the names of columns, of those of these stores that have a table. */
  columnDigests(stores: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Every store that has a table. */
  listStores(): Promise<number[]>;
}

/** Digests of the names of the columns of tables, by store. @param nameOf Gives the name of its table. */
export const columnDigests = async (
  clickhouse: Connection,
  stores: readonly number[],
  nameOf: (storeId: number) => string,
): Promise<ReadonlyMap<number, string>> => {
  const byName = new Map(stores.map((id) => [nameOf(id), id]));
  const rows = await clickhouse.rows<{ table: string; digest: string }>(
    `SELECT table, concat(toString(count()), '/', toString(groupBitXor(cityHash64(name)))) AS digest FROM system.columns
     WHERE database = {database:String} AND table IN {tables:Array(String)} AND name NOT IN ('_seg', '_row') GROUP BY table`,
    { params: { database: clickhouse.database, tables: [...byName.keys()] } },
  );
  return new Map(
    rows.flatMap(({ table, digest }) => (byName.has(table) ? [[byName.get(table)!, digest]] : [])),
  );
};

export const createServerTables = (clickhouse: Connection, options?: IntakeTableOptions): ServerTables => {
  const { database } = clickhouse;
  const definitions = createTableDefinitions(clickhouse);

  return {
    ...createIntakeTables(clickhouse, definitions, options),
    ensure: definitions.ensure,
    forget: definitions.forget,

    async dropSegments(storeId, segmentIds) {
      if (segmentIds.length === 0) return;
      const drops = segmentIds.map((id) => `DROP PARTITION ${id}`).join(', ');
      try {
        await clickhouse.command(`ALTER TABLE ${database}.${tableName(storeId)} ${drops}`, {
          settings: { max_partition_size_to_drop: '0' },
        });
      } catch (error) {
        if (!isUnknownTable(error)) throw error;
      }
    },

    async dropStore(storeId) {
      definitions.forgetStore(storeId);
      await clickhouse.command(`DROP TABLE IF EXISTS ${database}.${tableName(storeId)}`, {
        settings: { max_table_size_to_drop: '0' },
      });
    },

    async columnNames(storeId) {
      return (await definitions.columnsOf(tableName(storeId))).map(({ name }) => name);
    },

    async listSegments() {
      const rows = await clickhouse.rows<{ table: string; partition: string }>(
        `SELECT table, partition FROM system.parts
         WHERE database = {database:String} AND active AND match(table, '^s[0-9]+$')
         GROUP BY table, partition`,
        { params: { database } },
      );
      return rows.map((row) => ({ storeId: Number(row.table.slice(1)), segmentId: Number(row.partition) }));
    },

    columnDigests: (stores) => columnDigests(clickhouse, stores, tableName),

    async listStores() {
      return (await tableNames(clickhouse, '^s[0-9]+$')).map((name) => Number(name.slice(1)));
    },
  };
};
