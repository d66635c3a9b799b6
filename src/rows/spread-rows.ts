/** Rows of one table name on several shards, while they are moved between them. */
import type { Shard } from '../storage/clickhouse/client.js';
import { mergeSlices, sliceRows } from './copy-slices.js';
import { type HashedSlice, hashRows } from './segment-hashes.js';

/** A shard, and which of its rows are meant. */
export interface Source {
  readonly shard: Shard;
  readonly condition: string;
}

export const ofAnySize = { max_partition_size_to_drop: '0', max_table_size_to_drop: '0' };

const inOrder = { max_threads: 1, optimize_aggregation_in_order: 1, max_execution_time: 0 } as const;

export const allOn = (shards: readonly Shard[]): Source[] =>
  shards.map((shard) => ({ shard, condition: 'true' }));

/** Rows of each segment. */
export const countsOn = async (
  { shard: { clickhouse }, condition }: Source,
  table: string,
): Promise<Map<number, number>> => {
  const rows = await clickhouse.rows<{ seg: string; n: string }>(
    `SELECT toString(_seg) AS seg, toString(count()) AS n FROM ${clickhouse.database}.${table}
     WHERE ${condition} GROUP BY _seg`,
    { settings: inOrder },
  );
  return new Map(rows.map(({ seg, n }) => [Number(seg), Number(n)]));
};

/** Names of the columns but the key's, in their order. */
export const columnsOf = async ({ clickhouse }: Shard, table: string): Promise<string[]> => {
  const rows = await clickhouse.rows<{ name: string }>(
    `SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}
       AND name NOT IN ('_seg', '_row') ORDER BY position`,
    { params: { database: clickhouse.database, table } },
  );
  return rows.map(({ name }) => name);
};

export const dropPartitions = async (
  { clickhouse }: Shard,
  table: string,
  segmentIds: Iterable<number>,
): Promise<void> => {
  for (const id of segmentIds)
    await clickhouse.command(`ALTER TABLE ${clickhouse.database}.${table} DROP PARTITION ${Number(id)}`, {
      settings: ofAnySize,
    });
};

/** Counts and hashes of slices, of all sources together. */
export const hashOn = async (
  sources: readonly Source[],
  table: string,
  columns: readonly string[],
  where: string,
  signal: AbortSignal,
): Promise<Map<string, HashedSlice>> => {
  const lists = sources.map(({ shard: { clickhouse }, condition }) =>
    hashRows(
      clickhouse,
      {
        table: `${clickhouse.database}.${table}`,
        columns,
        where: `${where} AND ${condition}`,
        sliceRows,
      },
      {},
      signal,
    ),
  );
  return mergeSlices(await Promise.all(lists));
};
