/**
 * Tables of stores that an earlier build made have a deduplication log, which holds 1.1 MB of memory for as long as the
 * server runs, whatever its settings come to be (docs/adr/0027-upload-tables.md). Such a table is made anew without one:
 *
 *   1 twin      `x<storeId>`, made like the table, gets all partitions by hard links
 *   2 exchange  the two change names, in one step; reads that run go on with what they have
 *   3 fetch     partitions that were written into the old one meanwhile
 *   4 drop      the old one
 *
 * Whoever writes into the old one even later counts in the new one, finds nothing, and begins again.
 */
import type { Connection } from '../storage/clickhouse/client.js';
import { ownKey, tableName } from './places.js';
import { createTableSettings } from './table-settings.js';

/** Of one server: tables of clusters are younger. */
export interface TableRenewal {
  /** Stores whose table has a log, or whose renewal did not come to its end. */
  due(): Promise<number[]>;
  /** Can be repeated; one at a time. */
  renew(storeId: number): Promise<void>;
}

export const createTableRenewal = (clickhouse: Connection): TableRenewal => {
  const { database } = clickhouse;
  const settings = createTableSettings(clickhouse);

  const partitionsOf = async (table: string): Promise<Map<string, number>> => {
    const rows = await clickhouse.rows<{ partition: string; n: string }>(
      `SELECT partition_id AS partition, toString(sum(rows)) AS n FROM system.parts
       WHERE database = {database:String} AND table = {table:String} AND active GROUP BY 1`,
      { params: { database, table } },
    );
    return new Map(rows.map(({ partition, n }) => [partition, Number(n)]));
  };

  /** Brings what one table has more of into the other one, and drops it. */
  const fetchAndDrop = async (from: string, to: string): Promise<void> => {
    const present = await partitionsOf(to);
    for (const [partition, rows] of await partitionsOf(from))
      if (rows > (present.get(partition) ?? 0))
        await clickhouse.command(
          `ALTER TABLE ${database}.${to} REPLACE PARTITION ID '${Number(partition)}' FROM ${database}.${from}`,
        );
    await clickhouse.command(`DROP TABLE IF EXISTS ${database}.${from}`, {
      settings: { max_table_size_to_drop: '0' },
    });
  };

  const countColumns = async (table: string): Promise<number> => {
    const [row] = await clickhouse.rows<{ n: string }>(
      `SELECT toString(count()) AS n FROM system.columns
       WHERE database = {database:String} AND table = {table:String}`,
      { params: { database, table } },
    );
    return Number(row?.n ?? 0) - 2;
  };

  return {
    async due() {
      const rows = await clickhouse.rows<{ name: string }>(
        `SELECT name FROM system.tables WHERE database = {database:String} AND (match(name, '^x[0-9]+$') OR
           (match(name, '^s[0-9]+$') AND match(engine_full, 'non_replicated_deduplication_window = [1-9]')))`,
        { params: { database } },
      );
      return [...new Set(rows.map(({ name }) => Number(name.slice(1))))];
    },

    async renew(storeId) {
      const [table, twin] = [tableName(storeId), `x${storeId}`];
      await fetchAndDrop(twin, table);
      if (!(await this.due()).includes(storeId)) return;
      await clickhouse.command(
        `CREATE TABLE ${database}.${twin} AS ${database}.${table}
         ENGINE = MergeTree ${ownKey} SETTINGS ${await settings.own(await countColumns(table))}`,
      );
      await clickhouse.command(
        `ALTER TABLE ${database}.${twin} ATTACH PARTITION ALL FROM ${database}.${table}`,
      );
      await clickhouse.command(`EXCHANGE TABLES ${database}.${twin} AND ${database}.${table}`);
      await fetchAndDrop(twin, table);
    },
  };
};
