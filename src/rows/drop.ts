/** Drops rows of segments from ClickHouse: by partition in own tables, by one DELETE for many segments in pools. */

import { type ClickHouseServers, type Connection, shardsOf } from '../storage/clickhouse/client.js';
import { ifTableExists } from '../storage/clickhouse/errors.js';
import { createDdl, runAll } from './ddl.js';
import { ownTableName, poolName } from './place.js';
import { byTable, type SegmentPlace } from './segment-place.js';
import { poolClasses } from './slots.js';

/** Segments of one own table dropped per statement: each takes some milliseconds. */
const perStatement = 50;

/** For statements with thousands of numbers. */
const longList = { max_query_size: '16777216' };

export interface Remains {
  /** Segments with rows in own tables, counted once for each shard. */
  readonly own: number;
  /** Rows in pools. */
  readonly pooled: number;
}

/** Splits segments into lists, each of which one statement drops. */
export const dropLists = (segments: readonly SegmentPlace[]): SegmentPlace[][] =>
  byTable(segments, (list, { pool }) => pool !== null || list.length < perStatement);

const listOf = (ids: readonly number[]): string => ids.map(Number).join(', ');

export const createDropRows = (servers: ClickHouseServers) => {
  const { database, engine } = servers;
  const ddl = createDdl(database, engine);

  const onAll = <T>(work: (clickhouse: Connection) => Promise<T>): Promise<T[]> =>
    Promise.all(shardsOf(servers, { shard: null }).map(work));

  const countOnAll = async (sql: string, ids: readonly number[]): Promise<number> => {
    const countRows = async (clickhouse: Connection): Promise<number> => {
      const [row] = await clickhouse.rows<{ n: string }>(sql.replace('{ids}', listOf(ids)), {
        params: { database },
        settings: longList,
      });
      return Number(row?.n ?? 0);
    };
    const counts = await onAll((clickhouse) => ifTableExists(() => countRows(clickhouse), 0));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  return {
    /** Removes segments of one table. Resolves when no new read sees their rows. Idempotent. */
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
          // One statement for all partitions, so that ClickHouse processes them in parallel.
          const partitions = masked.map(({ partition }) => Number(partition));
          await runAll(clickhouse, ddl.applyDeletes(poolName(pool), partitions));
        });
    },

    /** Counts rows of segments that are still stored. */
    async remains(segmentIds: readonly number[]): Promise<Remains> {
      if (segmentIds.length === 0) return { own: 0, pooled: 0 };
      const own = await countOnAll(
        `SELECT toString(uniqExact(table, partition)) AS n FROM system.parts WHERE database = {database:String}
           AND active AND match(table, '^s[0-9]+$') AND toUInt64OrZero(partition) IN ({ids})`,
        segmentIds,
      );
      let pooled = 0;
      for (const pool of poolClasses)
        pooled += await countOnAll(
          `SELECT toString(count()) AS n FROM ${database}.${poolName(pool)} WHERE _seg IN ({ids})`,
          segmentIds,
        );
      return { own, pooled };
    },
  };
};
