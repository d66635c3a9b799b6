/**
 * Tables of engine `Distributed` on the entry, over the tables of one name on all shards: `ds<storeId>`, `dpool_<class>`.
 * They hold nothing.
 */
import type { NamedColumn, Placement } from '../model/placement.js';
import type { Connection } from '../storage/clickhouse/client.js';
import { tableNames } from './intake-tables.js';
import { type ColumnDefinition, slotColumns, spreadName, storedAs, tableName, tableOf } from './places.js';

export interface SpreadTables {
  /**
   * Makes the table over those of a placement, or adds the columns that it lacks. All shards have them by now. What is
   * written through it goes to the shards that the placement does not name as closed.
   */
  ensure(placement: Placement, columns: readonly NamedColumn[]): Promise<void>;
  forget(placement: Placement): void;
  /** Every store that has such a table. */
  listStores(): Promise<number[]>;
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

/** A number of the rows that go to one shard together. */
export const turn = `cityHash64(_seg, intDiv(_row, ${rowsTogether}))`;

/** Which of the shards gets a row: ClickHouse divides the value by the sum of all weights, and counts the rest down by them. */
export const shardingKey = async (
  clickhouse: Connection,
  cluster: string,
  closed: readonly number[],
): Promise<string> => {
  if (closed.length === 0) return turn;
  const shards = await clickhouse.rows<{ number: number; weight: number }>(
    `SELECT DISTINCT toUInt32(shard_num) AS number, toUInt32(shard_weight) AS weight FROM system.clusters
     WHERE cluster = {cluster:String} ORDER BY number`,
    { params: { cluster } },
  );
  const turns = shards.flatMap(({ number, weight }) => Array.from({ length: weight }, () => number));
  const open = turns.flatMap((number, at) => (closed.includes(number) ? [] : [at]));
  return open.length === 0 || open.length === turns.length
    ? turn
    : `[${open.join(', ')}][1 + ${turn} % ${open.length}]`;
};

/** What is written down beside the table. */
const commentOf = (closed: readonly number[]): string =>
  closed.length === 0 ? '' : `nothing is written to shard ${[...closed].sort((a, b) => a - b).join(', ')}`;

interface KnownTable {
  readonly comment: string;
  readonly columns: ReadonlySet<string>;
}

export const createSpreadTables = (entry: Connection, cluster: string): SpreadTables => {
  const { database } = entry;
  /** What is known to exist, per table of the shards. */
  const known = new Map<string, KnownTable>();

  const present = (table: string): Promise<ColumnDefinition[]> =>
    entry.rows<ColumnDefinition>(
      `SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String}
       ORDER BY position`,
      { params: { database, table } },
    );

  /** Undefined: there is no such table. */
  const commentOn = async (table: string): Promise<string | undefined> => {
    const [row] = await entry.rows<{ comment: string }>(
      'SELECT comment FROM system.tables WHERE database = {database:String} AND name = {table:String}',
      { params: { database, table } },
    );
    return row?.comment;
  };

  const create = async (
    table: string,
    columns: readonly ColumnDefinition[],
    closed: readonly number[],
    how: 'CREATE TABLE IF NOT EXISTS' | 'CREATE OR REPLACE TABLE',
  ): Promise<void> => {
    const list = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
    const key = await shardingKey(entry, cluster, closed);
    await entry.command(
      `${how} ${database}.${spreadName(table)} (${list})
       ENGINE = Distributed('${cluster}', '${database}', '${table}', ${key}) COMMENT '${commentOf(closed)}'`,
      { settings },
    );
  };

  return {
    async ensure(placement, columns) {
      const table = tableOf(placement);
      const closed = placement.closed ?? [];
      const comment = commentOf(closed);
      const wanted =
        placement.pool === null
          ? columns.map((column) => storedAs(column, placement))
          : slotColumns(placement.pool.pool);
      const seen = known.get(table);
      if (seen?.comment === comment && wanted.every(({ name }) => seen.columns.has(name))) return;
      const over = spreadName(table);
      await create(table, [...keyColumns, ...wanted], closed, 'CREATE TABLE IF NOT EXISTS');
      const has = await present(over);
      const names = new Set(has.map(({ name }) => name));
      const missing = wanted.filter(({ name }) => !names.has(name));
      if ((await commentOn(over)) !== comment)
        await create(table, [...has, ...missing], closed, 'CREATE OR REPLACE TABLE');
      else if (missing.length > 0)
        await entry.command(
          `ALTER TABLE ${database}.${over} ${missing.map(({ name, type }) => `ADD COLUMN IF NOT EXISTS ${name} ${type}`).join(', ')}`,
          { settings },
        );
      known.set(table, { comment, columns: new Set([...names, ...wanted.map(({ name }) => name)]) });
    },

    forget: (placement) => void known.delete(tableOf(placement)),

    async listStores() {
      return (await tableNames(entry, '^ds[0-9]+$')).map((name) => Number(name.slice(2)));
    },

    async dropStore(storeId) {
      known.delete(tableName(storeId));
      await entry.command(`DROP TABLE IF EXISTS ${database}.${spreadName(tableName(storeId))}`);
    },
  };
};
