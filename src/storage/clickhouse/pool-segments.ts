/** The segments of pools: which there are, and how they go. */
import type { PoolClass } from '../../model/placement.js';
import type { ClickHouse } from './client.js';
import { isUnknownTable } from './errors.js';
import { poolName } from './places.js';

export interface PoolSegment {
  readonly segmentId: number;
  readonly rows: number;
}

export interface PoolSegments {
  /** Removes the rows of segments; resolves when no read sees them any more. Idempotent. */
  drop(pool: PoolClass, segmentIds: readonly number[]): Promise<void>;
  /** Segments behind `after`, by number, so many at most. */
  list(pool: PoolClass, after: number, limit: number): Promise<PoolSegment[]>;
  /** Rows of the segments, all together. */
  countRows(pool: PoolClass, segmentIds: readonly number[]): Promise<number>;
  /** Gives the bytes of removed rows back. */
  clean(pool: PoolClass): Promise<void>;
}

export const createPoolSegments = (clickhouse: ClickHouse): PoolSegments => {
  const { database } = clickhouse;

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
    drop: (pool, segmentIds) =>
      ifMade(async () => {
        if (segmentIds.length === 0) return;
        await clickhouse.command(
          `DELETE FROM ${database}.${poolName(pool)} WHERE _seg IN (${segmentIds.map(Number).join(', ')})`,
          { settings: { lightweight_deletes_sync: '1', mutations_sync: '1' } },
        );
      }, undefined),

    list: (pool, after, limit) =>
      ifMade(async () => {
        const rows = await clickhouse.rows<{ seg: string; n: string }>(
          `SELECT toString(_seg) AS seg, toString(count()) AS n FROM ${database}.${poolName(pool)}
           WHERE _seg > {after:UInt64} GROUP BY _seg ORDER BY _seg LIMIT {limit:UInt64}`,
          { params: { after, limit }, settings: { max_threads: 1, optimize_aggregation_in_order: 1 } },
        );
        return rows.map(({ seg, n }) => ({ segmentId: Number(seg), rows: Number(n) }));
      }, []),

    countRows: (pool, segmentIds) =>
      ifMade(async () => {
        const [row] = await clickhouse.rows<{ n: string }>(
          `SELECT toString(count()) AS n FROM ${database}.${poolName(pool)} WHERE _seg IN {segments:Array(UInt64)}`,
          { params: { segments: segmentIds } },
        );
        return Number(row?.n ?? 0);
      }, 0),

    async clean(pool) {
      const masked = await clickhouse.rows<{ partition: string }>(
        `SELECT DISTINCT partition FROM system.parts
         WHERE database = {database:String} AND table = {table:String} AND active AND has_lightweight_delete`,
        { params: { database, table: poolName(pool) } },
      );
      for (const { partition } of masked)
        await clickhouse.command(
          `ALTER TABLE ${database}.${poolName(pool)} APPLY DELETED MASK IN PARTITION ${Number(partition)}`,
          { settings: { mutations_sync: '1' } },
        );
    },
  };
};
