/**
 * The tables that rows lie in (see model/version.ts and model/placement.ts for the terms).
 *
 * On disk
 *   s<storeId>       of one dataset and its clones; one partition per segment
 *   pool_<class>     of many small datasets; 16 partitions
 *   u<segmentId>     of one attempt of a long upload, while chunks come
 *   x<storeId>       the twin of s<storeId> while that is made anew (table-renewal.ts)
 *   a<segmentId>     the same when all chunks have come, until it was handed over to s<storeId>
 *
 *   _seg  UInt64   segment id
 *   _row  UInt64   position of the record in its file, from 0; gaps where records were rejected
 *   c<storageId>_<physical>  Nullable(…)   one per column and physical type that some segment uses; in pools: slots
 *
 * Invariants
 *   1. One chunk of an upload is one INSERT of one block with one deduplication token, into a pool or `u<segmentId>`:
 *      repeating it after a crash adds nothing while the token is remembered. `s<storeId>` has no tokens and is
 *      written by statements that are not repeated (docs/adr/0027-upload-tables.md).
 *   2. A column, once made, is never altered or dropped while the table lives: old segments need it.
 *   3. Nothing is sorted on the way in: a block is already in the order of the key.
 */
import type { Placement } from '../../model/placement.js';
import type { ClickHouse } from './client.js';
import { isUnknownTable } from './errors.js';
import {
  createIntakeTables,
  type IntakeTableOptions,
  type IntakeTables,
  tableNames,
} from './intake-tables.js';
import { tableName, tableOf } from './places.js';
import { createTableDefinitions, type TableDefinitions } from './table-definitions.js';

/** Of all tables. */
export interface StoreTables extends IntakeTables, Pick<TableDefinitions, 'ensure' | 'forget'> {
  /** Rows of a segment; 0 when the table or the segment does not exist. */
  countRows(placement: Placement, segmentId: number): Promise<number>;
  /** Removes the rows of a segment from the table of its store. Idempotent. */
  dropSegment(storeId: number, segmentId: number): Promise<void>;
  /** Removes the table of a store. Idempotent. */
  dropStore(storeId: number): Promise<void>;
  /** Names of the columns of a store's table; none without one. */
  columnNames(storeId: number): Promise<string[]>;
  /** Every segment of which the tables of stores hold rows. */
  listSegments(): Promise<{ storeId: number; segmentId: number }[]>;
  /** Every store that has a table. */
  listStores(): Promise<number[]>;
}

export const createStoreTables = (clickhouse: ClickHouse, options?: IntakeTableOptions): StoreTables => {
  const { database } = clickhouse;
  const definitions = createTableDefinitions(clickhouse);

  return {
    ...createIntakeTables(clickhouse, definitions, options),
    ensure: definitions.ensure,
    forget: definitions.forget,

    async countRows(placement, segmentId) {
      try {
        const [row] = await clickhouse.rows<{ n: string }>(
          `SELECT toString(count()) AS n FROM ${database}.${tableOf(placement)} WHERE _seg = {segment:UInt64}`,
          { params: { segment: segmentId } },
        );
        return Number(row?.n ?? 0);
      } catch (error) {
        if (!isUnknownTable(error)) throw error;
        return 0;
      }
    },

    async dropSegment(storeId, segmentId) {
      try {
        await clickhouse.command(`ALTER TABLE ${database}.${tableName(storeId)} DROP PARTITION ${segmentId}`);
      } catch (error) {
        if (!isUnknownTable(error)) throw error;
      }
    },

    async dropStore(storeId) {
      definitions.forget({ storeId, pool: null });
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

    async listStores() {
      return (await tableNames(clickhouse, '^s[0-9]+$')).map((name) => Number(name.slice(1)));
    },
  };
};
