/** Creates, extends, lists and drops the tables of one server. */
import type { NamedColumn } from '../model/column.js';
import type { Place } from '../model/version.js';
import type { Connection } from '../storage/clickhouse/client.js';
import type { Engine } from '../storage/clickhouse/engine.js';
import { createDdl, runAll, type Statement } from './ddl.js';
import { bookColumnNames, insideOf, isBookColumn, overName, poolName, storedAs, tableOf } from './place.js';
import { type ColumnDefinition, type PoolClass, slotColumns } from './slots.js';

export const tableNames = async (clickhouse: Connection, pattern: string): Promise<string[]> => {
  const rows = await clickhouse.rows<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = {database:String} AND match(name, {pattern:String})',
    { params: { database: clickhouse.database, pattern } },
  );
  return rows.map(({ name }) => name);
};

/** Columns of a table in their order; empty if it does not exist. */
export const readColumns = (clickhouse: Connection, table: string): Promise<ColumnDefinition[]> =>
  clickhouse.rows<ColumnDefinition>(
    'SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String} ORDER BY position',
    { params: { database: clickhouse.database, table } },
  );

const storedColumns = (place: Place, columns: readonly NamedColumn[]): readonly ColumnDefinition[] => {
  const { pool } = insideOf(place);
  return pool === null ? columns.map((column) => storedAs(column, place)) : slotColumns(pool.pool);
};

export type ServerTables = ReturnType<typeof createServerTables>;

export const createServerTables = (clickhouse: Connection, engine: Engine) => {
  const { database } = clickhouse;
  const ddl = createDdl(database, engine);
  /** Columns known to exist, per table, so that only the first upload runs DDL. */
  const known = new Map<string, ReadonlySet<string>>();

  /** Value columns of a table; empty if it does not exist. */
  const columnsOf = async (table: string): Promise<ColumnDefinition[]> =>
    (await readColumns(clickhouse, table)).filter(({ name }) => !isBookColumn(name));

  /** Digests of the column names of those tables that exist. */
  const columnDigests = async (tables: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const rows = await clickhouse.rows<{ table: string; digest: string }>(
      `SELECT table, concat(toString(count()), '/', toString(groupBitXor(cityHash64(name)))) AS digest FROM system.columns
       WHERE database = {database:String} AND table IN {tables:Array(String)} AND name NOT IN (${bookColumnNames}) GROUP BY table`,
      { params: { database, tables } },
    );
    return new Map(rows.map(({ table, digest }) => [table, digest]));
  };

  const addColumns = async (
    table: string,
    columns: readonly ColumnDefinition[],
    isIndexed: boolean,
  ): Promise<void> => {
    const present = new Set((await columnsOf(table)).map(({ name }) => name));
    const missing = columns.filter(({ name }) => !present.has(name));
    await runAll(clickhouse, ddl.addColumns(table, missing, isIndexed ? present.size : undefined));
  };

  /** Creates even a known table if columns are missing, since another process may have dropped it. */
  const ensureTable = async (
    table: string,
    columns: readonly ColumnDefinition[],
    create: readonly Statement[],
    isIndexed = false,
  ): Promise<void> => {
    const seen = known.get(table);
    if (seen !== undefined && columns.every(({ name }) => seen.has(name))) return;
    await runAll(clickhouse, create);
    await addColumns(table, columns, isIndexed);
    known.set(table, new Set([...(seen ?? []), ...columns.map(({ name }) => name)]));
  };

  const ensurePool = (pool: PoolClass): Promise<void> =>
    ensureTable(poolName(pool), slotColumns(pool), ddl.createPool(pool));

  /** Drops the cached columns of a table that may no longer exist. */
  const forget = (table: string): void => void known.delete(table);

  return {
    ddl,
    forget,
    columnsOf,

    /** Creates the table of a place, or adds missing columns. Idempotent, and safe to run in several processes. */
    async ensure(place: Place, columns: readonly NamedColumn[]): Promise<void> {
      const { pool } = insideOf(place);
      if (pool !== null) return ensurePool(pool.pool);
      const table = tableOf(place);
      const wanted = storedColumns(place, columns);
      await ensureTable(table, wanted, ddl.createOwn(table, wanted), true);
    },

    /** Like `ensure`, for the `Distributed` table over the tables of a place, which must exist on all shards. */
    async ensureOver(place: Place, columns: readonly NamedColumn[]): Promise<void> {
      const table = tableOf(place);
      const wanted = storedColumns(place, columns);
      const kind = insideOf(place).pool === null ? 'own' : 'pool';
      await ensureTable(overName(table), wanted, ddl.createOver(table, wanted, kind));
    },

    /** Creates a staging table with the columns of the table of a place; `columns` is their number if that table is not known. */
    createStaging: (table: string, place: Place, columns: number): Promise<void> =>
      runAll(
        clickhouse,
        ddl.createStaging(table, tableOf(place), known.get(tableOf(place))?.size ?? columns),
      ),

    /**
     * Adds the columns of each table to the other, and creates the table of the place if it is missing. If the columns are the same, this
     * takes one short statement.
     */
    async alignColumns(table: string, place: Place): Promise<void> {
      const own = tableOf(place);
      const digests = await columnDigests([own, table]);
      if (digests.has(own) && digests.get(own) === digests.get(table)) return;
      await runAll(clickhouse, ddl.createOwn(own, await columnsOf(table)));
      // Other uploads may have added columns to either table.
      await addColumns(own, await columnsOf(table), true);
      await addColumns(table, await columnsOf(own), true);
    },

    async dropTable(table: string): Promise<void> {
      forget(table);
      await runAll(clickhouse, ddl.dropTable(table));
    },

    columnDigests,

    /** Stores that have an own table. */
    listOwn: async (): Promise<number[]> =>
      (await tableNames(clickhouse, '^s[0-9]+$')).map((name) => Number(name.slice(1))),
  };
};
