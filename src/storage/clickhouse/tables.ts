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
import type { NamedColumn, Placement, PoolClass } from '../../model/placement.js';
import type { ClickHouse, QuerySettings } from './client.js';
import { isUnknownTable } from './errors.js';
import {
  type ColumnDefinition,
  ownKey,
  poolName,
  slotColumns,
  storedAs,
  tableName,
  tableOf,
} from './places.js';
import { createTableSettings, widePartColumns } from './table-settings.js';

export interface StoreTables {
  /** Makes the table of a placement or adds the columns that it lacks. Safe to repeat and to run in several processes. */
  ensure(placement: Placement, columns: readonly NamedColumn[]): Promise<void>;
  /** Makes the table that takes the chunks of a segment: the pool, or one for this segment alone. */
  ensureIntake(placement: Placement, segmentId: number, columns: readonly NamedColumn[]): Promise<void>;
  /** Inserts one block in `Native` format. `token` names the chunk: the same token adds nothing. */
  insertBlock(insert: BlockInsert): Promise<void>;
  /**
   * Inserts blocks of several segments into a pool, all in one statement. `token` names them all: repeated with the same
   * blocks it adds nothing. The columns of the blocks may differ.
   */
  insertBlocks(insert: BlocksInsert): Promise<void>;
  /**
   * Hands the rows of a segment, all of whose chunks were inserted, to the table of its store. Does nothing in a pool,
   * when it was done before, or when there are not as many rows.
   */
  handOver(placement: Placement, segmentId: number, rows: number): Promise<void>;
  /** Removes what took the chunks of a segment. Idempotent. */
  dropIntake(segmentId: number): Promise<void>;
  /** Segments that have a table of their own for their chunks. */
  listIntakes(): Promise<number[]>;
  /** Rows of a segment; 0 when the table or the segment does not exist. */
  countRows(placement: Placement, segmentId: number): Promise<number>;
  /** Removes the rows of a segment from the table of its store. Idempotent. */
  dropSegment(storeId: number, segmentId: number): Promise<void>;
  /** Removes the table of a store. Idempotent. */
  dropStore(storeId: number): Promise<void>;
  /** Forgets what is known of a table that turned out to be gone. */
  forget(placement: Placement): void;
  /** Names of the columns of a store's table; none without one. */
  columnNames(storeId: number): Promise<string[]>;
  /** Every segment of which the tables of stores hold rows. */
  listSegments(): Promise<{ storeId: number; segmentId: number }[]>;
  /** Every store that has a table. */
  listStores(): Promise<number[]>;
}

export interface BlockInsert {
  readonly placement: Placement;
  readonly segmentId: number;
  readonly columns: readonly NamedColumn[];
  readonly block: readonly Buffer[];
  readonly rows: number;
  readonly token: string;
  readonly queryId: string;
}

export interface BlocksInsert {
  readonly pool: PoolClass;
  /** Names of the slots that any of the blocks fills. */
  readonly slots: readonly string[];
  /** Each with names of its own; ordered by segment. */
  readonly blocks: readonly Buffer[];
  /** Of all blocks together. */
  readonly rows: number;
  readonly token: string;
  readonly queryId: string;
}

/** Partitions of a pool. */
const poolPartitions = 16;

/** Settings that make one block one part, once. */
const insertSettings = (rows: number, token: string): QuerySettings => ({
  async_insert: 0,
  insert_deduplicate: 1,
  insert_deduplication_token: token,
  // Never cut or join blocks: sizes above whatever one chunk can hold.
  max_insert_block_size: String(Math.max(rows, 1) + 1),
  min_insert_block_size_rows: '0',
  min_insert_block_size_bytes: '0',
  max_insert_threads: '1',
  max_partitions_per_insert_block: '1',
  input_format_parallel_parsing: 0,
  optimize_on_insert: 0,
  max_query_size: '16777216',
});

const inCreate = { column: '', index: 'INDEX ' };
const inAlter = { column: 'ADD COLUMN IF NOT EXISTS ', index: 'ADD INDEX IF NOT EXISTS ' };

const keyColumns = '_seg UInt64 CODEC(Delta, LZ4), _row UInt64 CODEC(Delta, LZ4)';
/** 64 processes in a row share a partition, so that what is inserted together makes one part or two. */
const poolKey = `PARTITION BY intDiv(_seg, 64000) % ${poolPartitions} ORDER BY (_seg, _row)`;

/**
 * Least and largest value of each granule, for filters on values that stand together. What it costs on the way
 * in and spares a filter is in docs/adr/0013-indexes.md.
 */
const indexOf = ({ name }: ColumnDefinition): string => `i_${name} ${name} TYPE minmax GRANULARITY 1`;

/** Definitions of columns, each behind `before`, for a store's table that will have as many in all. */
const definitions = (
  columns: readonly ColumnDefinition[],
  before: Readonly<Record<'column' | 'index', string>>,
  all: number,
): string[] => [
  ...columns.map(({ name, type }) => `${before.column}${name} ${type}`),
  ...(all > widePartColumns ? [] : columns.map((column) => `${before.index}${indexOf(column)}`)),
];

const longStatement: QuerySettings = { max_query_size: '16777216', alter_sync: '1' };

export interface StoreTableOptions {
  /** Longest that one block may take; a connection whose other end has gone says nothing for ever. */
  readonly insertTimeoutMs?: number;
}

export const createStoreTables = (
  clickhouse: ClickHouse,
  { insertTimeoutMs = 600_000 }: StoreTableOptions = {},
): StoreTables => {
  const { database } = clickhouse;
  const settings = createTableSettings(clickhouse);
  /** Columns that are known to exist, per table; saves the DDL of every upload but the first. */
  const known = new Map<string, Set<string>>();
  /** The segments whose tables were made last. */
  const intakes = new Set<number>();

  const columnsOf = async (table: string): Promise<ColumnDefinition[]> =>
    clickhouse.rows<ColumnDefinition>(
      `SELECT name, type FROM system.columns
       WHERE database = {database:String} AND table = {table:String} AND name NOT IN ('_seg', '_row')`,
      { params: { database, table } },
    );

  const createOwn = async (table: string, columns: readonly ColumnDefinition[]): Promise<void> => {
    const list = [keyColumns, ...definitions(columns, inCreate, columns.length)].join(',\n');
    await clickhouse.command(
      `CREATE TABLE IF NOT EXISTS ${database}.${table} (${list}) ENGINE = MergeTree ${ownKey}
       SETTINGS ${await settings.own(columns.length)}`,
      { settings: longStatement },
    );
  };

  const addColumns = async (table: string, columns: readonly ColumnDefinition[]): Promise<void> => {
    const present = new Set((await columnsOf(table)).map(({ name }) => name));
    const missing = columns.filter(({ name }) => !present.has(name));
    const all = present.size + missing.length;
    if (missing.length > 0) {
      const additions = definitions(missing, inAlter, all);
      await clickhouse.command(`ALTER TABLE ${database}.${table} ${additions.join(',\n')}`, {
        settings: longStatement,
      });
    }
    if (all > widePartColumns && present.size <= widePartColumns)
      await clickhouse.command(`ALTER TABLE ${database}.${table} MODIFY SETTING ${await settings.own(all)}`);
  };

  const ensureOwn = async (storeId: number, wanted: readonly ColumnDefinition[]): Promise<void> => {
    const table = tableName(storeId);
    const seen = known.get(table);
    if (seen !== undefined && wanted.every(({ name }) => seen.has(name))) return;
    if (seen === undefined) await createOwn(table, wanted);
    await addColumns(table, wanted);
    known.set(table, new Set([...(seen ?? []), ...wanted.map(({ name }) => name)]));
  };

  /** Slots may have been added since the pool was made. */
  const ensurePool = async (pool: PoolClass): Promise<void> => {
    const table = poolName(pool);
    if (known.has(table)) return;
    const slots = slotColumns(pool);
    const list = [keyColumns, ...slots.map(({ name, type }) => `${name} ${type}`)].join(', ');
    await clickhouse.command(
      `CREATE TABLE IF NOT EXISTS ${database}.${table} (${list}) ENGINE = MergeTree ${poolKey}
       SETTINGS ${await settings.pool()}`,
    );
    const present = new Set((await columnsOf(table)).map(({ name }) => name));
    const missing = slots.filter(({ name }) => !present.has(name));
    if (missing.length > 0)
      await clickhouse.command(
        `ALTER TABLE ${database}.${table} ${missing.map(({ name, type }) => `${inAlter.column}${name} ${type}`).join(', ')}`,
      );
    known.set(table, new Set(slots.map(({ name }) => name)));
  };

  const ensure: StoreTables['ensure'] = ({ storeId, pool }, columns) =>
    pool === null
      ? ensureOwn(
          storeId,
          columns.map((column) => storedAs(column, { storeId, pool })),
        )
      : ensurePool(pool.pool);

  const forgetAll = (placement: Placement, segmentId: number): void => {
    known.delete(tableOf(placement));
    intakes.delete(segmentId);
  };

  const exists = async (table: string): Promise<boolean> => {
    const [row] = await clickhouse.rows(
      'SELECT 1 FROM system.tables WHERE database = {database:String} AND name = {table:String}',
      { params: { database, table } },
    );
    return row !== undefined;
  };

  /** Closes the table of an upload for inserts: whoever comes late finds no table. */
  const closeIntake = async (segmentId: number): Promise<boolean> => {
    if (!(await exists(`a${segmentId}`)))
      await clickhouse
        .command(`RENAME TABLE ${database}.u${segmentId} TO ${database}.a${segmentId}`)
        .catch((error: unknown) => {
          if (!isUnknownTable(error)) throw error;
        });
    return exists(`a${segmentId}`);
  };

  const listNames = async (pattern: string): Promise<string[]> => {
    const rows = await clickhouse.rows<{ name: string }>(
      'SELECT name FROM system.tables WHERE database = {database:String} AND match(name, {pattern:String})',
      { params: { database, pattern } },
    );
    return rows.map(({ name }) => name);
  };

  return {
    ensure,
    forget: (placement) => void known.delete(tableOf(placement)),

    async ensureIntake(placement, segmentId, columns) {
      if (placement.pool !== null) return ensure(placement, columns);
      if (intakes.has(segmentId)) return;
      await ensure(placement, columns);
      const count = known.get(tableOf(placement))?.size ?? columns.length;
      await clickhouse.command(
        `CREATE TABLE IF NOT EXISTS ${database}.u${segmentId} AS ${database}.${tableOf(placement)}
         ENGINE = MergeTree ${ownKey} SETTINGS ${await settings.intake(count)}`,
      );
      if (intakes.size >= 100) intakes.clear();
      intakes.add(segmentId);
    },

    async insertBlock({ placement, segmentId, columns, block, rows, token, queryId }) {
      const table = placement.pool === null ? `u${segmentId}` : tableOf(placement);
      const names = ['_seg', '_row', ...columns.map((column) => storedAs(column, placement).name)].join(', ');
      try {
        await clickhouse.insert(`INSERT INTO ${database}.${table} (${names}) FORMAT Native`, block, {
          settings: insertSettings(rows, token),
          queryId,
          signal: AbortSignal.timeout(insertTimeoutMs),
        });
      } catch (error) {
        // The table may have been dropped or restored behind our back: look again before the next try.
        forgetAll(placement, segmentId);
        throw error;
      }
    },

    async insertBlocks({ pool, slots, blocks, rows, token, queryId }) {
      await ensurePool(pool);
      const names = ['_seg', '_row', ...slots].join(', ');
      try {
        await clickhouse.insert(
          `INSERT INTO ${database}.${poolName(pool)} (${names}) FORMAT Native`,
          blocks,
          {
            settings: {
              ...insertSettings(rows, token),
              // The blocks become one, cut by partition alone.
              min_insert_block_size_rows: String(rows),
              max_partitions_per_insert_block: String(poolPartitions),
            },
            queryId,
            signal: AbortSignal.timeout(insertTimeoutMs),
          },
        );
      } catch (error) {
        known.delete(poolName(pool));
        throw error;
      }
    },

    async handOver(placement, segmentId, rows) {
      if (placement.pool !== null || !(await closeIntake(segmentId))) return;
      const from = `a${segmentId}`;
      const [counted] = await clickhouse.rows<{ n: string }>(
        `SELECT toString(count()) AS n FROM ${database}.${from}`,
      );
      if (Number(counted?.n) !== rows) return;
      const to = tableOf(placement);
      await createOwn(to, await columnsOf(from));
      // Other uploads may have added columns to either since this one began.
      await addColumns(to, await columnsOf(from));
      await addColumns(from, await columnsOf(to));
      await clickhouse.command(
        `ALTER TABLE ${database}.${to} REPLACE PARTITION ${segmentId} FROM ${database}.${from}`,
      );
    },

    async dropIntake(segmentId) {
      intakes.delete(segmentId);
      for (const name of [`u${segmentId}`, `a${segmentId}`])
        await clickhouse.command(`DROP TABLE IF EXISTS ${database}.${name} SYNC`, {
          settings: { max_table_size_to_drop: '0' },
        });
    },

    async listIntakes() {
      return [...new Set((await listNames('^[ua][0-9]+$')).map((name) => Number(name.slice(1))))];
    },

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
      known.delete(tableName(storeId));
      await clickhouse.command(`DROP TABLE IF EXISTS ${database}.${tableName(storeId)}`, {
        settings: { max_table_size_to_drop: '0' },
      });
    },

    async columnNames(storeId) {
      return (await columnsOf(tableName(storeId))).map(({ name }) => name);
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
      return (await listNames('^s[0-9]+$')).map((name) => Number(name.slice(1)));
    },
  };
};
