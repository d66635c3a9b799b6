/**
 * Puts the rows of a spread store together in tables of another number, without those shards that it leaves.
 *
 *   make      each shard gets the tables: s<to>, and y<to> for what comes from others
 *   collect   the shards that are left send their rows of each segment, which go to y<to> of the others by turns
 *   join      on each shard: s<to> gets the parts of s<from> and of y<to>, as hard links
 *
 * What stays is neither read nor copied. The unit of the copy is a slice of a segment: it is compared by count and hash,
 * and a run that died goes on behind those that are whole. Nobody reads s<to> meanwhile.
 */
import type { NamedColumn } from '../../model/placement.js';
import type { ClickHouseServers, Shard } from './client.js';
import { conditionOf, groupsOf, isSame, keyOf, mergeSlices, rowsOf, sliceRows } from './copy-slices.js';
import { copyName, tableName } from './places.js';
import { type HashedSlice, hashRows } from './segment-hashes.js';
import { backgroundSettings, copySettings } from './segments.js';
import { copyQuery, idList, passage } from './shard-copy.js';
import { createSpreadTables, shardingKey } from './spread-tables.js';
import { createTableDefinitions } from './table-definitions.js';

export interface SpreadCopy {
  /** Number of the tables that have the rows. */
  readonly from: number;
  /** Of those that get them. */
  readonly to: number;
  /** Shards whose rows go to the others. */
  readonly closed: readonly number[];
  readonly segmentIds: readonly number[];
}

export interface SpreadCopier {
  /** @param columns All that any of the shards has, and those that come. */
  make(copy: SpreadCopy, columns: readonly NamedColumn[]): Promise<void>;
  /**
   * Gives the number of rows that leave their shard.
   * @param onCopied Is told the rows that were found or made whole, of all that are to leave their shard.
   * @throws Error when a copy is not what it was made of.
   */
  collect(
    copy: SpreadCopy,
    onCopied: (rows: number, all: number) => void,
    signal: AbortSignal,
  ): Promise<number>;
  join(copy: SpreadCopy): Promise<void>;
  /** Removes segments from the tables of that number on all shards. */
  drop(storeId: number, segmentIds: readonly number[]): Promise<void>;
  /** Rows of each segment, on all shards together. */
  count(storeId: number): Promise<ReadonlyMap<number, number>>;
}

/** Segments whose slices are listed at a time. */
const batch = 1_000;

const inOrder = { max_threads: 1, optimize_aggregation_in_order: 1, max_execution_time: 0 } as const;

const ofAnySize = { max_partition_size_to_drop: '0' };

export const createSpreadCopier = (servers: ClickHouseServers, cluster: string): SpreadCopier => {
  const { database } = servers;
  const spread = createSpreadTables(servers.entry, cluster);
  let sent = 0;
  /** Segments that this process has compared. */
  const compared = new Set<string>();

  const openOf = ({ closed }: SpreadCopy): Shard[] =>
    servers.shards.filter(({ number }) => !closed.includes(number));
  const sourcesOf = ({ closed }: SpreadCopy): Shard[] =>
    servers.shards.filter(({ number }) => closed.includes(number));

  const countsOn = async ({ clickhouse }: Shard, table: string): Promise<Map<number, number>> => {
    const rows = await clickhouse.rows<{ seg: string; n: string }>(
      `SELECT toString(_seg) AS seg, toString(count()) AS n FROM ${database}.${table} GROUP BY _seg`,
      { settings: inOrder },
    );
    return new Map(rows.map(({ seg, n }) => [Number(seg), Number(n)]));
  };

  const columnsOf = async ({ clickhouse }: Shard, table: string): Promise<string[]> => {
    const rows = await clickhouse.rows<{ name: string }>(
      `SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}
         AND name NOT IN ('_seg', '_row') ORDER BY position`,
      { params: { database, table } },
    );
    return rows.map(({ name }) => name);
  };

  const dropPartitions = async (
    { clickhouse }: Shard,
    table: string,
    ids: Iterable<number>,
  ): Promise<void> => {
    for (const id of ids)
      await clickhouse.command(`ALTER TABLE ${database}.${table} DROP PARTITION ${Number(id)}`, {
        settings: ofAnySize,
      });
  };

  /** What a run that died has left of slices, in part. */
  const dropSlices = async (copy: SpreadCopy, slices: readonly HashedSlice[]): Promise<void> => {
    if (slices.length === 0) return;
    for (const { clickhouse } of openOf(copy))
      await clickhouse.command(`DELETE FROM ${database}.${copyName(copy.to)} WHERE ${conditionOf(slices)}`, {
        settings: { lightweight_deletes_sync: '1', mutations_sync: '1', max_query_size: '67108864' },
      });
  };

  const hashOn = async (
    shards: readonly Shard[],
    table: string,
    columns: readonly string[],
    where: string,
    signal: AbortSignal,
  ): Promise<Map<string, HashedSlice>> => {
    const rows = { table: `${database}.${table}`, columns, where, sliceRows };
    return mergeSlices(
      await Promise.all(shards.map(({ clickhouse }) => hashRows(clickhouse, rows, {}, signal))),
    );
  };

  const send = async (
    { from, to, closed }: SpreadCopy,
    { clickhouse }: Shard,
    columns: readonly string[],
    where: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const over = `${database}.${passage}${copyName(to)}`;
    const list = ['_seg', '_row', ...columns].join(', ');
    const key = await shardingKey(clickhouse, cluster, closed);
    await clickhouse.command(`DROP TABLE IF EXISTS ${over}`);
    await clickhouse.command(
      `CREATE TABLE ${over} AS ${database}.${copyName(to)}
       ENGINE = Distributed('${cluster}', '${database}', '${copyName(to)}', ${key})`,
      { settings: { max_query_size: '67108864' } },
    );
    sent += 1;
    await clickhouse.command(
      `INSERT INTO ${over} (${list}) SELECT ${list} FROM ${database}.${tableName(from)} WHERE ${where}`,
      {
        settings: {
          ...backgroundSettings(columns.length),
          ...copySettings,
          max_partitions_per_insert_block: '0',
          distributed_foreground_insert: 1,
        },
        queryId: `${copyQuery}${process.pid}/${Date.now()}/s${sent}`,
        signal,
      },
    );
    await clickhouse.command(`DROP TABLE IF EXISTS ${over}`);
  };

  const sendGroup = async (
    copy: SpreadCopy,
    group: readonly HashedSlice[],
    columns: readonly string[],
    signal: AbortSignal,
  ): Promise<void> => {
    const where = conditionOf(group);
    for (const source of sourcesOf(copy)) await send(copy, source, columns, where, signal);
    const after = await hashOn(openOf(copy), copyName(copy.to), columns, where, signal);
    const different = group.find((slice) => !isSame(slice, after.get(keyOf(slice))));
    if (different === undefined) return;
    await dropSlices(copy, group);
    throw new Error(`segment ${different.segmentId} was not copied as it is`);
  };

  const collectBatch = async (
    copy: SpreadCopy,
    ids: readonly number[],
    columns: readonly string[],
    onWhole: (rows: number) => void,
    signal: AbortSignal,
  ): Promise<void> => {
    const where = `_seg IN (${idList(ids)})`;
    const source = await hashOn(sourcesOf(copy), tableName(copy.from), columns, where, signal);
    const before = await hashOn(openOf(copy), copyName(copy.to), columns, where, signal);
    const missing = [...source.values()]
      .filter((slice) => !isSame(slice, before.get(keyOf(slice))))
      .sort((a, b) => a.segmentId - b.segmentId || a.slice - b.slice);
    await dropSlices(
      copy,
      [...before.values()].filter((slice) => {
        const whole = source.get(keyOf(slice));
        return whole === undefined || !isSame(whole, slice);
      }),
    );
    onWhole(rowsOf(source.values()) - rowsOf(missing));
    for (const group of groupsOf(missing)) {
      await sendGroup(copy, group, columns, signal);
      onWhole(rowsOf(group));
    }
  };

  const joinOn = async (shard: Shard, { from, to, closed, segmentIds }: SpreadCopy): Promise<void> => {
    const have = await countsOn(shard, tableName(to));
    if (closed.includes(shard.number)) return dropPartitions(shard, tableName(to), have.keys());
    const parts = [
      { table: tableName(from), rows: await countsOn(shard, tableName(from)) },
      { table: copyName(to), rows: await countsOn(shard, copyName(to)) },
    ];
    for (const id of segmentIds) {
      const found = parts.filter(({ rows }) => rows.has(id));
      const all = found.reduce((sum, { rows }) => sum + (rows.get(id) ?? 0), 0);
      if ((have.get(id) ?? 0) === all) continue;
      if (have.has(id)) await dropPartitions(shard, tableName(to), [id]);
      for (const { table } of found)
        await shard.clickhouse.command(
          `ALTER TABLE ${database}.${tableName(to)} ATTACH PARTITION ${Number(id)} FROM ${database}.${table}`,
        );
    }
  };

  return {
    async make({ from, to, closed }, columns) {
      for (const { clickhouse } of servers.shards) {
        const definitions = createTableDefinitions(clickhouse);
        await definitions.ensure({ storeId: from, shard: null, pool: null }, columns);
        for (const table of [tableName(to), copyName(to)]) await definitions.createTwin(table, from);
      }
      await spread.ensure({ storeId: to, shard: null, closed, pool: null }, columns);
    },

    async collect(copy, onCopied, signal) {
      const wanted = new Set(copy.segmentIds);
      const counts = new Map<number, number>();
      for (const source of sourcesOf(copy))
        for (const [id, rows] of await countsOn(source, tableName(copy.from)))
          if (wanted.has(id)) counts.set(id, (counts.get(id) ?? 0) + rows);
      const ids = [...counts.keys()].filter((id) => !compared.has(`${copy.to}/${id}`)).sort((a, b) => a - b);
      const all = [...counts.values()].reduce((sum, rows) => sum + rows, 0);
      const [any] = servers.shards;
      const columns = any === undefined ? [] : await columnsOf(any, tableName(copy.from));
      let whole = all - ids.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);
      const onWhole = (rows: number): void => {
        if (rows === 0) return;
        whole += rows;
        onCopied(whole, all);
      };
      for (let at = 0; at < ids.length; at += batch) {
        const some = ids.slice(at, at + batch);
        await collectBatch(copy, some, columns, onWhole, signal);
        for (const id of some) compared.add(`${copy.to}/${id}`);
      }
      return all;
    },

    async join(copy) {
      for (const shard of servers.shards) await joinOn(shard, copy);
    },

    async drop(storeId, segmentIds) {
      for (const shard of servers.shards) await dropPartitions(shard, tableName(storeId), segmentIds);
    },

    async count(storeId) {
      const lists = await Promise.all(servers.shards.map((shard) => countsOn(shard, tableName(storeId))));
      const total = new Map<number, number>();
      for (const counts of lists) for (const [id, rows] of counts) total.set(id, (total.get(id) ?? 0) + rows);
      return total;
    },
  };
};
