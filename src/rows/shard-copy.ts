/**
 * Copies segments from one shard of a cluster to another. The server that has them sends the rows to the other one by
 * itself, over the native protocol; they do not pass through here. A copy is compared with what it was made of, by the
 * count and the hash of each segment.
 *
 * A copy that was killed leaves rows that nobody names. The next attempt keeps the segments that are whole and makes the
 * others anew. What still runs for a command that is gone is ended first: it would add rows behind the comparison.
 */
import type { PoolClass } from '../model/placement.js';
import type { Shard } from '../storage/clickhouse/client.js';
import { type ColumnDefinition, poolName, tableName } from './places.js';
import type { HashedSegment } from './segment-hashes.js';
import { manySegmentSettings } from './segments.js';

/** A table that each of both shards has. */
export interface CopiedTable {
  /** Number of the tables of the store. */
  readonly storeId: number;
  /** Null: the table of the store. */
  readonly pool: PoolClass | null;
}

export interface ShardCopy {
  readonly from: Shard;
  readonly to: Shard;
  readonly table: CopiedTable;
  readonly segments: readonly { readonly id: number; readonly rows: number }[];
}

export interface ShardCopier {
  /** Ends what commands that are gone have left running or lying about on a server. */
  clear(server: Shard): Promise<void>;
  /**
   * Resolves when the target has every segment as the source has it.
   * @throws Error when a copy is not what it was made of, or the source has not the rows that it should have.
   */
  copy(copy: ShardCopy, signal: AbortSignal): Promise<void>;
}

/** Starts the id of every statement that copies. */
export const copyQuery = 'shard-copy/';

/** Starts the name of the table through which a server sends rows of one of its tables. */
export const passage = 'm_';

/** Segments of one statement; more would not be quicker. */
const batch = 1_000;

export const idList = (ids: readonly number[]): string => ids.map(Number).join(', ');

const isSame = (a: HashedSegment | undefined, b: HashedSegment | undefined): boolean =>
  a !== undefined && b !== undefined && a.rows === b.rows && a.hash === b.hash;

const columnsOf = ({ clickhouse }: Shard, table: string): Promise<ColumnDefinition[]> =>
  clickhouse.rows<ColumnDefinition>(
    `SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String} ORDER BY position`,
    { params: { database: clickhouse.database, table } },
  );

/** Makes the table of the source on the target too, or adds the columns that it lacks there. */
const makeTable = async (from: Shard, to: Shard, table: string): Promise<void> => {
  const { database } = to.clickhouse;
  const [made] = await from.clickhouse.rows<{ sql: string }>(
    `SELECT create_table_query AS sql FROM system.tables WHERE database = {database:String} AND name = {table:String}`,
    { params: { database, table } },
  );
  if (made === undefined) throw new Error(`shard ${from.number} has no table ${table}`);
  await to.clickhouse.command(made.sql.replace(/^CREATE TABLE /, 'CREATE TABLE IF NOT EXISTS '), {
    settings: { max_query_size: '67108864' },
  });
  const present = new Set((await columnsOf(to, table)).map(({ name }) => name));
  const missing = (await columnsOf(from, table)).filter(({ name }) => !present.has(name));
  if (missing.length === 0) return;
  const added = missing.map(({ name, type }) => `ADD COLUMN IF NOT EXISTS ${name} ${type}`);
  await to.clickhouse.command(`ALTER TABLE ${database}.${table} ${added.join(', ')}`, {
    settings: { max_query_size: '67108864', alter_sync: '1' },
  });
};

const nameOf = ({ storeId, pool }: CopiedTable): string =>
  pool === null ? tableName(storeId) : poolName(pool);

const dropRows = async ({ clickhouse }: Shard, table: CopiedTable, ids: readonly number[]): Promise<void> => {
  const name = `${clickhouse.database}.${nameOf(table)}`;
  if (table.pool !== null)
    return clickhouse.command(`DELETE FROM ${name} WHERE _seg IN (${idList(ids)})`, {
      settings: { lightweight_deletes_sync: '1', mutations_sync: '1' },
    });
  for (const id of ids) await clickhouse.command(`ALTER TABLE ${name} DROP PARTITION ${Number(id)}`);
};

export interface ShardCopierOptions {
  /** Name in `remote_servers`. */
  readonly cluster: string;
  /** Hashes of those of the segments that the server has in the table. */
  hash(
    server: Shard,
    table: CopiedTable,
    segmentIds: readonly number[],
    signal: AbortSignal,
  ): Promise<readonly HashedSegment[]>;
}

export const createShardCopier = ({ cluster, hash }: ShardCopierOptions): ShardCopier => {
  let copies = 0;

  const hashesOf = async (
    server: Shard,
    table: CopiedTable,
    ids: readonly number[],
    signal: AbortSignal,
  ): Promise<Map<number, HashedSegment>> =>
    new Map((await hash(server, table, ids, signal)).map((found) => [found.segmentId, found]));

  const send = async (
    { from, to, table }: Omit<ShardCopy, 'segments'>,
    ids: readonly number[],
    signal: AbortSignal,
  ): Promise<void> => {
    const { clickhouse } = from;
    const { database } = clickhouse;
    const name = nameOf(table);
    const columns = (await columnsOf(from, name)).map((column) => column.name).join(', ');
    await clickhouse.command(`DROP TABLE IF EXISTS ${database}.${passage}${name}`);
    await clickhouse.command(
      `CREATE TABLE ${database}.${passage}${name} AS ${database}.${name}
       ENGINE = Distributed('${cluster}', '${database}', '${name}')`,
      { settings: { max_query_size: '67108864' } },
    );
    copies += 1;
    await clickhouse.command(
      `INSERT INTO ${database}.${passage}${name} (${columns})
       SELECT ${columns} FROM ${database}.${name} WHERE _seg IN (${idList(ids)})`,
      {
        settings: {
          ...manySegmentSettings,
          distributed_foreground_insert: 1,
          insert_shard_id: String(to.number),
        },
        queryId: `${copyQuery}${process.pid}/${Date.now()}/${copies}`,
        signal,
      },
    );
    await clickhouse.command(`DROP TABLE IF EXISTS ${database}.${passage}${name}`);
  };

  const copyBatch = async (copy: ShardCopy, signal: AbortSignal): Promise<void> => {
    const { from, to, table, segments } = copy;
    const ids = segments.map(({ id }) => id);
    const source = await hashesOf(from, table, ids, signal);
    for (const { id, rows } of segments)
      if (source.get(id)?.rows !== rows)
        throw new Error(
          `shard ${from.number} has ${source.get(id)?.rows ?? 0} rows of segment ${id}, ${rows} expected`,
        );
    const before = await hashesOf(to, table, ids, signal);
    const missing = ids.filter((id) => !isSame(source.get(id), before.get(id)));
    const partial = missing.filter((id) => before.has(id));
    if (partial.length > 0) await dropRows(to, table, partial);
    if (missing.length === 0) return;
    await send(copy, missing, signal);
    const after = await hashesOf(to, table, missing, signal);
    const different = missing.find((id) => !isSame(source.get(id), after.get(id)));
    if (different === undefined) return;
    await dropRows(to, table, missing);
    throw new Error(`segment ${different} on shard ${to.number} is not what it is on shard ${from.number}`);
  };

  return {
    async clear({ clickhouse }) {
      const { database } = clickhouse;
      await clickhouse.command(
        `KILL QUERY WHERE startsWith(initial_query_id, '${copyQuery}') AND query_id != queryID() SYNC`,
      );
      const left = await clickhouse.rows<{ name: string }>(
        `SELECT name FROM system.tables
         WHERE database = {database:String} AND engine = 'Distributed' AND startsWith(name, '${passage}')`,
        { params: { database } },
      );
      for (const { name } of left) await clickhouse.command(`DROP TABLE IF EXISTS ${database}.${name}`);
    },

    async copy({ from, to, table, segments }, signal) {
      if (segments.length === 0) return;
      await makeTable(from, to, nameOf(table));
      for (let at = 0; at < segments.length; at += batch)
        await copyBatch({ from, to, table, segments: segments.slice(at, at + batch) }, signal);
    },
  };
};
