/** What PostgreSQL knows of the segments in pools, in sums that ClickHouse can make of its rows too. */
import type { Sql } from '../storage/postgres/sql.js';
import type { PoolClass } from './slots.js';

/** Sums over the segments of a range of one pool. */
export interface SegmentDigest {
  /** The first number of the range. */
  readonly start: number;
  /** Alike where the same segments have as many rows. */
  readonly digest: string;
}

/**
 * The digest as SQL that both databases read alike. Squares, so that two numbers cannot stand in for two others with the
 * same sum.
 */
export const digestSql = (id: string, rows: string): readonly string[] => [
  'count(*)',
  `sum(${rows})`,
  `sum((${id} % 2147483647) * (${id} % 2147483647) % 1000000007)`,
  `sum(${rows} * (${id} % 1000003))`,
];

/** Segments of a range: few enough to be compared one by one where the sums differ. */
const rangeSize = 10_000;
const mostRanges = 2_000;

/** Starts of ranges that have about as many segments each; the last one has no end. */
export const digestRanges = async (sql: Sql): Promise<number[]> => {
  const starts = await sql.query<{ start: number }>(
    `SELECT id AS start FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM segments) AS numbered
     WHERE place % greatest(${rangeSize}, (SELECT count(*) FROM segments) / ${mostRanges}) = 0 ORDER BY id`,
  );
  return [1, ...starts.map(({ start }) => start)];
};

/**
 * Of published segments that were not let go of, for each pool of each shard. Which shard has those of spread stores is
 * not known: they are left out.
 */
export const readSegmentDigests = (
  sql: Sql,
  starts: readonly number[],
): Promise<(SegmentDigest & { readonly shard: number; readonly pool: PoolClass })[]> =>
  sql.query(
    `SELECT st.shard, m.pool, ($1::bigint[])[width_bucket(s.id, $1::bigint[])] AS start,
       concat_ws('/', ${digestSql('s.id', 's.rows').join(', ')}) AS digest
     FROM segments s JOIN slot_maps m ON m.id = s.slot_map_id JOIN stores st ON st.id = s.store_id
     WHERE s.rows > 0 AND s.unnamed_at IS NULL AND NOT st.everywhere GROUP BY 1, 2, 3`,
    [starts],
  );
