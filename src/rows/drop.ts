/** Drops rows of segments from ClickHouse: own tables have a partition for each, pools get a delete for many. */

import { type ClickHouseServers, type Connection, shardsOf } from '../storage/clickhouse/client.js';
import { ifTableExists } from '../storage/clickhouse/errors.js';
import { createDdl, runAll } from './ddl.js';
import { ownTableName, poolName } from './place.js';
import { byTable, type SegmentPlace } from './segment-place.js';
import { poolClasses } from './slots.js';

/** Segments of one own table that are dropped together: a statement takes some milliseconds for each. */
const perStatement = 50;

/** For thousands of numbers in a statement. */
const longList = { max_query_size: '16777216' };

export interface Remains {
  /** Segments with rows in own tables, counted once for each shard. */
  readonly own: number;
  /** Rows in pools. */
  readonly pooled: number;
}

/** Segments in lists that are dropped by one statement each. */
export const dropLists = (segments: readonly SegmentPlace[]): SegmentPlace[][] =>
  byTable(segments, (list, { pool }) => pool !== null || list.length < perStatement);

const listOf = (ids: readonly number[]): string => ids.map(Number).join(', ');

export const createDropRows = (servers: ClickHouseServers) => {
  const { database, engine } = servers;
  const ddl = createDdl(database, engine);

  const onAll = <T>(work: (clickhouse: Connection) => Promise<T>): Promise<T[]> =>
    Promise.all(shardsOf(servers, { shard: null }).map(work));

  const sumOf = async (sql: string, ids: readonly number[]): Promise<number> => {
    const ask = async (clickhouse: Connection): Promise<number> => {
      const [row] = await clickhouse.rows<{ n: string }>(sql.replace('{ids}', listOf(ids)), {
        params: { database },
        settings: longList,
      });
      return Number(row?.n ?? 0);
    };
    const counts = await onAll((clickhouse) => ifTableExists(() => ask(clickhouse), 0));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  return {
    /** Removes the rows of segments of one table; resolves when no read sees them any more. Idempotent. */
    async rows(segments: readonly SegmentPlace[]): Promise<void> {
      const [first] = segments;
      if (first === undefined) return;
      const ids = segments.map(({ id }) => id);
      const { pool, storeId } = first;
      const statements =
        pool === null
          ? ddl.dropSegments(ownTableName(storeId), ids)
          : ddl.deleteSegments(poolName(pool), ids);
      await Promise.all(
        shardsOf(servers, first).map((clickhouse) =>
          ifTableExists(() => runAll(clickhouse, statements), undefined),
        ),
      );
    },

    /** Frees the disk space of rows that were removed from pools. */
    async clean(): Promise<void> {
      for (const pool of poolClasses)
        await onAll(async (clickhouse) => {
          const masked = await clickhouse.rows<{ partition: string }>(
            `SELECT DISTINCT partition FROM system.parts
             WHERE database = {database:String} AND table = {table:String} AND active AND has_lightweight_delete`,
            { params: { database, table: poolName(pool) } },
          );
          // One statement, so that ClickHouse works on several partitions at a time and the wait is for the longest.
          const partitions = masked.map(({ partition }) => Number(partition));
          await runAll(clickhouse, ddl.applyDeletes(poolName(pool), partitions));
        });
    },

    /** Counts the rows that are still stored of segments. */
    async remains(segmentIds: readonly number[]): Promise<Remains> {
      if (segmentIds.length === 0) return { own: 0, pooled: 0 };
      const own = await sumOf(
        `SELECT toString(uniqExact(table, partition)) AS n FROM system.parts WHERE database = {database:String}
           AND active AND match(table, '^s[0-9]+$') AND toUInt64OrZero(partition) IN ({ids})`,
        segmentIds,
      );
      let pooled = 0;
      for (const pool of poolClasses)
        pooled += await sumOf(
          `SELECT toString(count()) AS n FROM ${database}.${poolName(pool)} WHERE _seg IN ({ids})`,
          segmentIds,
        );
      return { own, pooled };
    },
  };
};
