/**
 * The table of a store (see model/version.ts for the terms).
 *
 * On disk: one table per store, `s<storeId>`; one partition per segment; in it the rows by position.
 *
 *   _seg  UInt64   segment id; the partition key
 *   _row  UInt64   position of the record in its file, from 0; gaps where records were rejected
 *   c<storageId>_<physical>  Nullable(…)   one per column and physical type that some segment uses
 *
 * Invariants
 *   1. One chunk of an upload is one INSERT of one block with one deduplication token, so that repeating it
 *      after a crash adds nothing while the token is remembered (the last `dedupWindow` blocks).
 *   2. A column, once made, is never altered or dropped while the store lives: old segments need it.
 *   3. Nothing is sorted on the way in: a block is already in the order of the key.
 */
import type { PhysicalType } from '../../model/column.js';
import { decimalShapeOf } from '../../model/column.js';
import type { ClickHouse, QuerySettings } from './client.js';
import { isUnknownTable } from './errors.js';

export const clickHouseType = (physical: PhysicalType): string => {
  switch (physical) {
    case 'd':
      return 'Date32';
    case 'f':
      return 'Float64';
    case 's':
    case 't':
      return 'String';
    default: {
      const shape = decimalShapeOf(physical);
      if (shape === undefined) throw new RangeError(`unknown physical type ${physical}`);
      return `Decimal(${shape.precision}, ${shape.scale})`;
    }
  }
};

/** Blocks whose tokens a table remembers. A chunk is repeated within seconds or minutes of its first try. */
const dedupWindow = 10_000;

/**
 * Above this many columns a part is kept in one file: thousands of files per part exhaust descriptors. Such tables
 * have no skipping indexes either, which are files of their own.
 */
export const widePartColumns = 200;

/**
 * Statistics of columns would be made by every merge, for plans that have one table and no choice.
 *
 * Merges wait for more parts than usual: those of an upload of up to some 300 MB are not merged beside it, and those
 * of a longer one fewer times (docs/adr/0014-merges.md). A wide table pays for each part that is read, and merges soon.
 */
const settingsOf = (columns: number): Readonly<Record<string, string>> => {
  const isWide = columns > widePartColumns;
  return {
    non_replicated_deduplication_window: String(dedupWindow),
    min_bytes_for_wide_part: isWide ? '1000000000000' : '10485760',
    merge_selector_base: isWide ? '5' : '30',
    auto_statistics_types: "''",
  };
};

/** Gives the settings of a table of so many columns as SQL: those that this release of ClickHouse has. */
const createTableSettings = (clickhouse: ClickHouse): ((columns: number) => Promise<string>) => {
  let supported: ReadonlySet<string> | undefined;
  const load = async (): Promise<ReadonlySet<string>> => {
    const rows = await clickhouse.rows<{ name: string }>('SELECT name FROM system.merge_tree_settings');
    return new Set(rows.map(({ name }) => name));
  };
  return async (columns) => {
    const known = supported ?? (await load());
    supported = known;
    return Object.entries(settingsOf(columns))
      .filter(([name]) => known.has(name))
      .map(([name, value]) => `${name} = ${value}`)
      .join(', ');
  };
};

export interface TableColumn {
  readonly name: string;
  readonly physical: PhysicalType;
}

export interface StoreTables {
  /** Makes the table or adds the columns that it lacks. Safe to repeat and to run in several processes. */
  ensure(storeId: number, columns: readonly TableColumn[]): Promise<void>;
  /** Inserts one block in `Native` format. `token` names the chunk: the same token adds nothing. */
  insertBlock(insert: BlockInsert): Promise<void>;
  /** Rows of a segment; 0 when the table or the partition does not exist. */
  countRows(storeId: number, segmentId: number): Promise<number>;
  /** Removes the rows of a segment. Idempotent. */
  dropSegment(storeId: number, segmentId: number): Promise<void>;
  /** Removes the table of a store. Idempotent. */
  dropStore(storeId: number): Promise<void>;
  /** Every segment of which ClickHouse holds rows. */
  listSegments(): Promise<{ storeId: number; segmentId: number }[]>;
  /** Every store that has a table. */
  listStores(): Promise<number[]>;
}

export interface BlockInsert {
  readonly storeId: number;
  readonly columns: readonly TableColumn[];
  readonly block: readonly Buffer[];
  readonly rows: number;
  readonly token: string;
  readonly queryId: string;
}

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
});

export const tableName = (storeId: number): string => {
  if (!Number.isSafeInteger(storeId) || storeId < 1) throw new RangeError(`bad store id ${storeId}`);
  return `s${storeId}`;
};

const inCreate = { column: '', index: 'INDEX ' };
const inAlter = { column: 'ADD COLUMN IF NOT EXISTS ', index: 'ADD INDEX IF NOT EXISTS ' };

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
  const qualified = (storeId: number): string => `${database}.${tableName(storeId)}`;
  /** Columns that are known to exist, per store; saves the DDL of every upload but the first. */
  const known = new Map<number, Set<string>>();

  const definition = (column: TableColumn): string =>
    `${column.name} Nullable(${clickHouseType(column.physical)})`;

  /**
   * Least and largest value of each granule, for filters on values that stand together. What it costs on the way
   * in and spares a filter is in docs/adr/0013-indexes.md.
   */
  const indexOf = ({ name }: TableColumn): string => `i_${name} ${name} TYPE minmax GRANULARITY 1`;

  /** Definitions of columns, each behind `before`, for a table that will have as many in all. */
  const definitions = (
    columns: readonly TableColumn[],
    before: Readonly<Record<'column' | 'index', string>>,
    all: number,
  ) => [
    ...columns.map((column) => `${before.column}${definition(column)}`),
    ...(all > widePartColumns ? [] : columns.map((column) => `${before.index}${indexOf(column)}`)),
  ];

  const create = async (storeId: number, columns: readonly TableColumn[]): Promise<void> =>
    clickhouse.command(
      `CREATE TABLE IF NOT EXISTS ${qualified(storeId)} (
         _seg UInt64 CODEC(Delta, LZ4),
         ${['_row UInt64 CODEC(Delta, LZ4)', ...definitions(columns, inCreate, columns.length)].join(',\n')}
       ) ENGINE = MergeTree PARTITION BY _seg ORDER BY (_seg, _row)
       SETTINGS ${await settings(columns.length)}`,
      { settings: { max_query_size: '16777216' } },
    );

  const addColumns = async (storeId: number, columns: readonly TableColumn[]): Promise<void> => {
    const present = await clickhouse.rows<{ name: string }>(
      'SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}',
      { params: { database, table: tableName(storeId) } },
    );
    const names = new Set(present.map((row) => row.name));
    const missing = columns.filter((column) => !names.has(column.name));
    if (missing.length > 0) {
      const additions = definitions(missing, inAlter, names.size + missing.length);
      await clickhouse.command(`ALTER TABLE ${qualified(storeId)} ${additions.join(',\n')}`, {
        settings: { max_query_size: '16777216', alter_sync: '1' },
      });
    }
    const wide = names.size + missing.length > widePartColumns;
    if (wide && names.size <= widePartColumns) {
      await clickhouse.command(
        `ALTER TABLE ${qualified(storeId)} MODIFY SETTING ${await settings(names.size + missing.length)}`,
      );
    }
  };

  return {
    async ensure(storeId, columns) {
      const seen = known.get(storeId) ?? new Set();
      if (columns.every((column) => seen.has(column.name)) && known.has(storeId)) return;
      if (!known.has(storeId)) await create(storeId, columns);
      await addColumns(storeId, columns);
      known.set(storeId, new Set([...seen, ...columns.map((column) => column.name)]));
    },

    async insertBlock({ storeId, columns, block, rows, token, queryId }) {
      const names = ['_seg', '_row', ...columns.map((column) => column.name)].join(', ');
      try {
        await clickhouse.insert(`INSERT INTO ${qualified(storeId)} (${names}) FORMAT Native`, block, {
          settings: { ...insertSettings(rows, token), max_query_size: '16777216' },
          queryId,
          signal: AbortSignal.timeout(insertTimeoutMs),
        });
      } catch (error) {
        // The table may have been dropped or restored behind our back: look again before the next try.
        known.delete(storeId);
        throw error;
      }
    },

    async countRows(storeId, segmentId) {
      const [row] = await clickhouse.rows<{ rows: string }>(
        `SELECT toString(sum(rows)) AS rows FROM system.parts
         WHERE database = {database:String} AND table = {table:String} AND active
           AND partition_id = {partition:String}`,
        { params: { database, table: tableName(storeId), partition: String(segmentId) } },
      );
      return Number(row?.rows ?? 0);
    },

    async dropSegment(storeId, segmentId) {
      try {
        await clickhouse.command(`ALTER TABLE ${qualified(storeId)} DROP PARTITION ${segmentId}`);
      } catch (error) {
        if (!isUnknownTable(error)) throw error;
      }
    },

    async dropStore(storeId) {
      known.delete(storeId);
      await clickhouse.command(`DROP TABLE IF EXISTS ${qualified(storeId)}`, {
        settings: { max_table_size_to_drop: '0' },
      });
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
      const rows = await clickhouse.rows<{ name: string }>(
        `SELECT name FROM system.tables WHERE database = {database:String} AND match(name, '^s[0-9]+$')`,
        { params: { database } },
      );
      return rows.map((row) => Number(row.name.slice(1)));
    },
  };
};
