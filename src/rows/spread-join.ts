/** On one shard: the tables of a new number get what stays of the old ones and what came from other shards. */
import type { Shard } from '../storage/clickhouse/client.js';
import { isSame, keyOf } from './copy-slices.js';
import { copyName, tableName } from './places.js';
import { idList } from './shard-copy.js';
import { leaves, type SpreadCopy, wholeShare } from './spread-plan.js';
import { allOn, columnsOf, countsOn, dropPartitions, hashOn } from './spread-rows.js';

/** Segments that are compared at a time. */
const batch = 1_000;

/** What stays of segments that leave in part is as it was. */
const requireSame = async (
  shard: Shard,
  { from, to }: SpreadCopy,
  ids: readonly number[],
  stays: string,
  signal: AbortSignal,
): Promise<void> => {
  const columns = await columnsOf(shard, tableName(from));
  for (let at = 0; at < ids.length; at += batch) {
    const where = `_seg IN (${idList(ids.slice(at, at + batch))})`;
    const before = await hashOn([{ shard, condition: stays }], tableName(from), columns, where, signal);
    const after = await hashOn(allOn([shard]), tableName(to), columns, where, signal);
    const different = [...before.values()].find((slice) => !isSame(slice, after.get(keyOf(slice))));
    if (different === undefined && before.size === after.size) continue;
    await dropPartitions(shard, tableName(to), ids);
    throw new Error(`what stays of segment ${different?.segmentId ?? ids[at]} is not as it was`);
  }
};

/** Parts of which all rows stay, or have come, are linked. @throws Error when what stays is not as it was. */
export const joinParts = async (shard: Shard, copy: SpreadCopy, signal: AbortSignal): Promise<void> => {
  const { from, to, plan, segmentIds } = copy;
  const { clickhouse } = shard;
  const table = `${clickhouse.database}.${tableName(to)}`;
  const all = { shard, condition: 'true' };
  const share = plan.leaving.get(shard.number) ?? 0;
  const have = await countsOn(all, tableName(to));
  if (share === wholeShare) return dropPartitions(shard, tableName(to), have.keys());
  const own = await countsOn(all, tableName(from));
  const gone =
    share === 0
      ? new Map<number, number>()
      : await countsOn({ shard, condition: leaves(share) }, tableName(from));
  const came = await countsOn(all, copyName(to));
  const attach = (id: number, source: string): Promise<void> =>
    clickhouse.command(
      `ALTER TABLE ${table} ATTACH PARTITION ${Number(id)} FROM ${clickhouse.database}.${source}`,
    );
  const staysOf = (id: number): number => (own.get(id) ?? 0) - (gone.get(id) ?? 0);
  const isCut = (id: number): boolean => gone.has(id) && staysOf(id) > 0;

  for (const id of segmentIds) {
    signal.throwIfAborted();
    if ((have.get(id) ?? 0) === staysOf(id) + (came.get(id) ?? 0)) continue;
    if (have.has(id)) await dropPartitions(shard, tableName(to), [id]);
    if (staysOf(id) > 0) await attach(id, tableName(from));
    if (isCut(id))
      await clickhouse.command(
        `ALTER TABLE ${table} DELETE IN PARTITION ${Number(id)} WHERE ${leaves(share)}`,
        { settings: { mutations_sync: '2' } },
      );
    if (came.has(id)) await attach(id, copyName(to));
  }
  await requireSame(shard, copy, segmentIds.filter(isCut), `NOT (${leaves(share)})`, signal);
};
