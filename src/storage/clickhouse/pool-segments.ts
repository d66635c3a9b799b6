/** The segments of pools: which there are, and how they go. */
import type { PoolClass } from '../../model/placement.js';
import { type ClickHouseServers, type Connection, type ShardPlace, shardsOf } from './client.js';
import { isUnknownTable } from './errors.js';
import { poolName } from './places.js';

export interface PoolSegment {
  readonly segmentId: number;
  readonly rows: number;
}

/** A pool of one shard, or of all of them. */
export interface PoolTable extends ShardPlace {
  readonly pool: PoolClass;
}

export interface PoolSegments {
  /** The shards that have pools. */
  readonly shards: readonly number[];
  /** Removes the rows of segments; resolves when no read sees them any more. Idempotent. */
  drop(table: PoolTable, segmentIds: readonly number[]): Promise<void>;
  /** Segments behind `after`, by number, so many at most; of all shards, a segment may be in the list several times. */
  list(table: PoolTable, after: number, limit: number): Promise<PoolSegment[]>;
  /** Rows of the segments, all together. */
  countRows(table: PoolTable, segmentIds: readonly number[]): Promise<number>;
  /** Gives the bytes of removed rows back. */
  clean(table: PoolTable): Promise<void>;
}

export const createPoolSegments = (servers: ClickHouseServers): PoolSegments => {
  const { database } = servers;

  const onEach = <T>(table: PoolTable, work: (clickhouse: Connection) => Promise<T>): Promise<T[]> =>
    Promise.all(shardsOf(servers, table).map(work));

  /** A pool is made by the first upload that goes there. */
  const ifMade = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!isUnknownTable(error)) throw error;
      return otherwise;
    }
  };

  return {
    shards: servers.shards.map(({ number }) => number),

    async drop(table, segmentIds) {
      if (segmentIds.length === 0) return;
      const sql = `DELETE FROM ${database}.${poolName(table.pool)} WHERE _seg IN (${segmentIds.map(Number).join(', ')})`;
      const settings = { lightweight_deletes_sync: '1', mutations_sync: '1' };
      await onEach(table, (clickhouse) => ifMade(() => clickhouse.command(sql, { settings }), undefined));
    },

    async list(table, after, limit) {
      const sql = `SELECT toString(_seg) AS seg, toString(count()) AS n FROM ${database}.${poolName(table.pool)}
        WHERE _seg > {after:UInt64} GROUP BY _seg ORDER BY _seg LIMIT {limit:UInt64}`;
      const lists = await onEach(table, (clickhouse) =>
        ifMade(
          () =>
            clickhouse.rows<{ seg: string; n: string }>(sql, {
              params: { after, limit },
              settings: { max_threads: 1, optimize_aggregation_in_order: 1 },
            }),
          [],
        ),
      );
      return lists.flat().map(({ seg, n }) => ({ segmentId: Number(seg), rows: Number(n) }));
    },

    async countRows(table, segmentIds) {
      const counts = await onEach(table, (clickhouse) =>
        ifMade(async () => {
          const [row] = await clickhouse.rows<{ n: string }>(
            `SELECT toString(count()) AS n FROM ${database}.${poolName(table.pool)} WHERE _seg IN {segments:Array(UInt64)}`,
            { params: { segments: segmentIds } },
          );
          return Number(row?.n ?? 0);
        }, 0),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },

    async clean(table) {
      const name = poolName(table.pool);
      await onEach(table, async (clickhouse) => {
        const masked = await clickhouse.rows<{ partition: string }>(
          `SELECT DISTINCT partition FROM system.parts
           WHERE database = {database:String} AND table = {table:String} AND active AND has_lightweight_delete`,
          { params: { database, table: name } },
        );
        for (const { partition } of masked)
          await clickhouse.command(
            `ALTER TABLE ${database}.${name} APPLY DELETED MASK IN PARTITION ${Number(partition)}`,
            { settings: { mutations_sync: '1' } },
          );
      });
    },
  };
};
