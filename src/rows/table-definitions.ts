/** Makes the tables of stores and the pools, and adds the columns that they lack. */
import type { NamedColumn, Placement, PoolClass } from '../model/placement.js';
import type { Connection, QuerySettings } from '../storage/clickhouse/client.js';
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

/** Of one server. */
export interface TableDefinitions {
  /** Makes the table of a placement or adds the columns that it lacks. Safe to repeat and to run in several processes. */
  ensure(placement: Placement, columns: readonly NamedColumn[]): Promise<void>;
  /** The same of a pool alone. */
  ensurePool(pool: PoolClass): Promise<void>;
  /** Forgets what is known of a table that turned out to be gone. */
  forget(placement: Placement): void;
  forgetStore(storeId: number): void;
  forgetPool(pool: PoolClass): void;
  /**
   * Makes a table with the columns of the table of the placement, for the chunks of one upload.
   * @param columns Their number, where nothing is known of that table.
   */
  createLike(table: string, placement: Placement, columns: number): Promise<void>;
  /** Makes a table like that of a store, with a comment, or gives both the columns of the other. */
  createTwin(table: string, storeId: number, comment: string): Promise<void>;
  /** Gives both the columns of the other; the table of the placement is made when it has gone. */
  alignColumns(table: string, placement: Placement): Promise<void>;
  /** None of a table that does not exist. */
  columnsOf(table: string): Promise<ColumnDefinition[]>;
}

const inCreate = { column: '', index: 'INDEX ' };
const inAlter = { column: 'ADD COLUMN IF NOT EXISTS ', index: 'ADD INDEX IF NOT EXISTS ' };

/**
 * Every read compares `_seg`, which is the same over thousands of rows: T64 keeps no bit of it, and gives it back several
 * times as fast as Delta (docs/adr/0013-indexes.md).
 */
const keyColumns = '_seg UInt64 CODEC(T64, LZ4), _row UInt64 CODEC(Delta, LZ4)';
/** Partitions of a pool. */
export const poolPartitions = 16;

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

export const createTableDefinitions = (clickhouse: Connection): TableDefinitions => {
  const { database } = clickhouse;
  const settings = createTableSettings(clickhouse);
  /** Columns that are known to exist, per table; saves the DDL of every upload but the first. */
  const known = new Map<string, Set<string>>();

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
    // Also where it is known: another process may have dropped it.
    await createOwn(table, wanted);
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

  const ensure: TableDefinitions['ensure'] = (placement, columns) =>
    placement.pool === null
      ? ensureOwn(
          placement.storeId,
          columns.map((column) => storedAs(column, placement)),
        )
      : ensurePool(placement.pool.pool);

  const alignColumns: TableDefinitions['alignColumns'] = async (table, placement) => {
    const own = tableOf(placement);
    await createOwn(own, await columnsOf(table));
    // Other uploads may have added columns to either since this one began.
    await addColumns(own, await columnsOf(table));
    await addColumns(table, await columnsOf(own));
  };

  return {
    ensure,
    ensurePool,
    alignColumns,
    forget: (placement) => void known.delete(tableOf(placement)),
    forgetStore: (storeId) => void known.delete(tableName(storeId)),
    forgetPool: (pool) => void known.delete(poolName(pool)),
    columnsOf,

    async createLike(table, placement, columns) {
      const count = known.get(tableOf(placement))?.size ?? columns;
      await clickhouse.command(
        `CREATE TABLE IF NOT EXISTS ${database}.${table} AS ${database}.${tableOf(placement)}
         ENGINE = MergeTree ${ownKey} SETTINGS ${await settings.intake(count)}`,
      );
    },

    async createTwin(table, storeId, comment) {
      const own = tableName(storeId);
      await clickhouse.command(
        `CREATE TABLE IF NOT EXISTS ${database}.${table} AS ${database}.${own}
         ENGINE = MergeTree ${ownKey} SETTINGS ${await settings.own((await columnsOf(own)).length)}
         COMMENT '${comment}'`,
      );
      await alignColumns(table, { storeId, shard: null, pool: null });
    },
  };
};
