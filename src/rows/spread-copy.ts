/**
 * Puts the rows of a spread store together in tables of another number, some of them on other shards.
 *
 *   make      each shard gets the tables: s<to>, and y<to> for what comes from others
 *   collect   shards send the rows of each segment that leave them, which go to y<to> of the others by turns
 *   join      on each shard: s<to> gets the parts of s<from> and of y<to>, as hard links; parts that leave in part are written anew
 *
 * What stays of a shard that keeps all of its rows is neither read nor copied. The unit of the copy is a slice of a segment: it is
 * compared by count and hash, and a run that died goes on behind those that are whole. Nobody reads s<to> meanwhile.
 */
import type { NamedColumn } from '../model/placement.js';
import type { ClickHouseServers, Shard } from '../storage/clickhouse/client.js';
import { conditionOf, groupsOf, isSame, keyOf, rowsOf } from './copy-slices.js';
import { copyName, tableName } from './places.js';
import type { HashedSlice } from './segment-hashes.js';
import { backgroundSettings, copySettings } from './segments.js';
import { copyQuery, idList, passage } from './shard-copy.js';
import { joinParts } from './spread-join.js';
import { leaves, planText, type SpreadCopy, type SpreadPlan } from './spread-plan.js';
import { allOn, columnsOf, countsOn, dropPartitions, hashOn, ofAnySize, type Source } from './spread-rows.js';
import { createSpreadTables, shardingKey, turn } from './spread-tables.js';
import { createTableDefinitions } from './table-definitions.js';

export interface SpreadCopier {
  /** Rows that each shard would have less, or more, when all weigh the same. */
  changes(from: number, plan: SpreadPlan): Promise<ReadonlyMap<number, number>>;
  /**
   * What an attempt with another plan has made goes.
   * @param columns All that any of the shards has, and those that come.
   */
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
  /** @throws Error when what stays is not what it was. */
  join(copy: SpreadCopy, signal: AbortSignal): Promise<void>;
  /** Removes segments from the tables of that number on all shards. */
  drop(storeId: number, segmentIds: readonly number[]): Promise<void>;
  /** Rows of each segment, on all shards together. */
  count(storeId: number): Promise<ReadonlyMap<number, number>>;
}

/** Segments whose slices are listed at a time. */
const batch = 1_000;

/** Rows of each segment, of all sources together. */
const addedCounts = async (sources: readonly Source[], table: string): Promise<Map<number, number>> => {
  const added = new Map<number, number>();
  for (const counts of await Promise.all(sources.map((source) => countsOn(source, table))))
    for (const [id, rows] of counts) added.set(id, (added.get(id) ?? 0) + rows);
  return added;
};

const total = (counts: ReadonlyMap<number, number>): number =>
  [...counts.values()].reduce((sum, rows) => sum + rows, 0);

export const createSpreadCopier = (servers: ClickHouseServers, cluster: string): SpreadCopier => {
  const { database } = servers;
  const spread = createSpreadTables(servers.entry, cluster);
  let sent = 0;
  /** Segments that this process has compared. */
  const compared = new Set<string>();

  const targetsOf = ({ plan }: SpreadCopy): Shard[] =>
    servers.shards.filter(({ number }) => plan.targets.includes(number));
  const sourcesOf = (plan: SpreadPlan): Source[] =>
    servers.shards.flatMap((shard) => {
      const share = plan.leaving.get(shard.number) ?? 0;
      return share === 0 ? [] : [{ shard, condition: leaves(share) }];
    });

  /** What a run that died has left of slices, in part. */
  const dropSlices = async (copy: SpreadCopy, slices: readonly HashedSlice[]): Promise<void> => {
    if (slices.length === 0) return;
    for (const { clickhouse } of targetsOf(copy))
      await clickhouse.command(`DELETE FROM ${database}.${copyName(copy.to)} WHERE ${conditionOf(slices)}`, {
        settings: { lightweight_deletes_sync: '1', mutations_sync: '1', max_query_size: '67108864' },
      });
  };

  const send = async (
    { from, to, plan }: SpreadCopy,
    { shard: { clickhouse }, condition }: Source,
    columns: readonly string[],
    where: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const over = `${database}.${passage}${copyName(to)}`;
    const list = ['_seg', '_row', ...columns].join(', ');
    const others = servers.shards
      .map(({ number }) => number)
      .filter((number) => !plan.targets.includes(number));
    const key = await shardingKey(clickhouse, cluster, others);
    await clickhouse.command(`DROP TABLE IF EXISTS ${over}`);
    await clickhouse.command(
      `CREATE TABLE ${over} AS ${database}.${copyName(to)}
       ENGINE = Distributed('${cluster}', '${database}', '${copyName(to)}', ${key})`,
      { settings: { max_query_size: '67108864' } },
    );
    sent += 1;
    await clickhouse.command(
      `INSERT INTO ${over} (${list}) SELECT ${list} FROM ${database}.${tableName(from)}
       WHERE ${where} AND ${condition}`,
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
    for (const source of sourcesOf(copy.plan)) await send(copy, source, columns, where, signal);
    const after = await hashOn(allOn(targetsOf(copy)), copyName(copy.to), columns, where, signal);
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
    const source = await hashOn(sourcesOf(copy.plan), tableName(copy.from), columns, where, signal);
    const before = await hashOn(allOn(targetsOf(copy)), copyName(copy.to), columns, where, signal);
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

  /** Tables that were begun with another plan have rows that are wanted nowhere now. */
  const dropOthers = async ({ clickhouse }: Shard, to: number, plan: string): Promise<void> => {
    const tables = [tableName(to), copyName(to)];
    const begun = await clickhouse.rows<{ comment: string }>(
      'SELECT comment FROM system.tables WHERE database = {database:String} AND has({tables:Array(String)}, name)',
      { params: { database, tables } },
    );
    if (begun.every(({ comment }) => comment === plan)) return;
    for (const table of tables)
      await clickhouse.command(`DROP TABLE IF EXISTS ${database}.${table} SYNC`, { settings: ofAnySize });
  };

  return {
    async changes(from, plan) {
      const targets = [...plan.targets].sort((a, b) => a - b);
      const changes = new Map<number, number>();
      const add = (shard: number, rows: number): void => {
        changes.set(shard, (changes.get(shard) ?? 0) + rows);
      };
      for (const { shard, condition } of sourcesOf(plan)) {
        const slots = await shard.clickhouse.rows<{ slot: number; n: string }>(
          `SELECT toUInt32(${turn} % ${targets.length}) AS slot, toString(count()) AS n
           FROM ${database}.${tableName(from)} WHERE ${condition} GROUP BY slot`,
        );
        for (const { slot, n } of slots) {
          add(shard.number, -Number(n));
          add(targets[slot] ?? shard.number, Number(n));
        }
      }
      return changes;
    },

    async make({ from, to, plan }, columns) {
      const text = planText(plan);
      for (const shard of servers.shards) {
        await dropOthers(shard, to, text);
        const definitions = createTableDefinitions(shard.clickhouse);
        await definitions.ensure({ storeId: from, shard: null, pool: null }, columns);
        for (const table of [tableName(to), copyName(to)]) await definitions.createTwin(table, from, text);
      }
      await spread.ensure({ storeId: to, shard: null, closed: plan.closed, pool: null }, columns);
    },

    async collect(copy, onCopied, signal) {
      const wanted = new Set(copy.segmentIds);
      const leaving = await addedCounts(sourcesOf(copy.plan), tableName(copy.from));
      const counts = new Map([...leaving].filter(([id]) => wanted.has(id)));
      const known = (id: number): string => `${copy.to}/${id}/${planText(copy.plan)}`;
      const ids = [...counts.keys()].filter((id) => !compared.has(known(id))).sort((a, b) => a - b);
      const all = total(counts);
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
        for (const id of some) compared.add(known(id));
      }
      return all;
    },

    async join(copy, signal) {
      for (const shard of servers.shards) await joinParts(shard, copy, signal);
    },

    async drop(storeId, segmentIds) {
      for (const shard of servers.shards) await dropPartitions(shard, tableName(storeId), segmentIds);
    },

    count: (storeId) => addedCounts(allOn(servers.shards), tableName(storeId)),
  };
};
