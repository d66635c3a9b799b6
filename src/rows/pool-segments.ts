/** The segments of pools: which there are, and how they go. */
import {
  type ClickHouseServers,
  type Connection,
  type QuerySettings,
  type ShardPlace,
  shardsOf,
} from '../storage/clickhouse/client.js';
import { isUnknownTable } from '../storage/clickhouse/errors.js';
import { createDdl, runAll } from './ddl.js';
import { poolName } from './place.js';
import { digestSql, type SegmentDigest } from './segment-digests.js';
import type { PoolClass } from './slots.js';

export interface PoolSegment {
  readonly segmentId: number;
  readonly rows: number;
}

/** Numbers of segments. */
export interface SegmentRange {
  /** Not in it. */
  readonly after: number;
  /** The last one of it. */
  readonly until: number;
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
  /** Segments of a range, by number, so many at most; of all shards, a segment may be in the list several times. */
  list(table: PoolTable, range: SegmentRange, limit: number): Promise<PoolSegment[]>;
  /** The segments of each range that has some, in sums: one pass over the numbers of their rows. */
  digests(table: PoolTable, starts: readonly number[]): Promise<SegmentDigest[]>;
  /** Those of the segments that have rows there. */
  present(table: PoolTable, segmentIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Rows of the segments, all together. */
  countRows(table: PoolTable, segmentIds: readonly number[]): Promise<number>;
  /** Gives the bytes of removed rows back. */
  clean(table: PoolTable): Promise<void>;
}

/** Segment after segment, so that memory does not grow with their number. */
const inOrder: QuerySettings = { max_threads: 1, optimize_aggregation_in_order: 1 };

/** For thousands of numbers in a statement. */
const longList: QuerySettings = { max_query_size: '16777216' };

export const createPoolSegments = (servers: ClickHouseServers): PoolSegments => {
  const { database, engine } = servers;
  const ddl = createDdl(database, engine);

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
    get shards() {
      return servers.shards.map(({ number }) => number);
    },

    async drop(table, segmentIds) {
      if (segmentIds.length === 0) return;
      const sql = `DELETE FROM ${database}.${poolName(table.pool)} WHERE _seg IN (${segmentIds.map(Number).join(', ')})`;
      const settings = engine.waitSettings;
      await onEach(table, (clickhouse) => ifMade(() => clickhouse.command(sql, { settings }), undefined));
    },

    async list(table, { after, until }, limit) {
      const sql = `SELECT toString(_seg) AS seg, toString(count()) AS n FROM ${database}.${poolName(table.pool)}
        WHERE _seg > {after:UInt64} AND _seg <= {until:UInt64} GROUP BY _seg ORDER BY _seg LIMIT {limit:UInt64}`;
      const lists = await onEach(table, (clickhouse) =>
        ifMade(
          () =>
            clickhouse.rows<{ seg: string; n: string }>(sql, {
              params: { after, until, limit },
              settings: inOrder,
            }),
          [],
        ),
      );
      return lists.flat().map(({ seg, n }) => ({ segmentId: Number(seg), rows: Number(n) }));
    },

    async digests(table, starts) {
      const sums = digestSql('seg', 'n').map((sum) => `toString(${sum})`);
      const sql = `SELECT toString(roundDown(seg, [${starts.map((start) => `toUInt64(${Number(start)})`).join(', ')}])) AS start,
          concat(${sums.join(", '/', ")}) AS digest
        FROM (SELECT _seg AS seg, count() AS n FROM ${database}.${poolName(table.pool)} GROUP BY _seg) GROUP BY start`;
      const lists = await onEach(table, (clickhouse) =>
        ifMade(
          () =>
            clickhouse.rows<{ start: string; digest: string }>(sql, {
              settings: { ...inOrder, ...longList },
            }),
          [],
        ),
      );
      return lists.flat().map(({ start, digest }) => ({ start: Number(start), digest }));
    },

    async present(table, segmentIds) {
      if (segmentIds.length === 0) return new Set();
      const lists = await onEach(table, (clickhouse) =>
        ifMade(
          () =>
            clickhouse.rows<{ seg: string }>(
              `SELECT DISTINCT toString(_seg) AS seg FROM ${database}.${poolName(table.pool)}
               WHERE _seg IN (${segmentIds.map(Number).join(', ')})`,
              { settings: longList },
            ),
          [],
        ),
      );
      return new Set(lists.flat().map(({ seg }) => Number(seg)));
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
        // One statement, so that ClickHouse works on several partitions at a time and the wait is for the longest.
        await runAll(
          clickhouse,
          ddl.applyDeletes(
            name,
            masked.map(({ partition }) => Number(partition)),
          ),
        );
      });
    },
  };
};
