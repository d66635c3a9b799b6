/** Which stores lie on which shard, and what they hold. */
import type { ServedShards } from '../storage/clickhouse/client.js';
import type { Sql } from '../storage/postgres/sql.js';

/** Stores by shard; null: those that are spread over all shards. */
export const countStores = (
  sql: Sql,
): Promise<{ readonly shard: number | null; readonly stores: number }[]> =>
  sql.query(
    'SELECT CASE WHEN NOT everywhere THEN shard END AS shard, count(*)::int AS stores FROM stores GROUP BY 1 ORDER BY 1',
  );

/** Stores whose rows are where the configuration has no server. */
export interface StrayStores {
  /** Null: they are spread over several shards. */
  readonly shard: number | null;
  readonly stores: number;
  /** That cannot be read. */
  readonly datasets: number;
}

/** Condition that none of them has the rows of the store `own`; the first shard is always there. */
const isStray = ({ shards, spread }: ServedShards): string => `(own.everywhere OR own.shard > 1)
  AND NOT (own.shard = ANY ('{${shards.map(Number).join(',')}}') AND (${spread} OR NOT own.everywhere))`;

/** Condition that the rows of a segment, of `segments` under this name, are on servers of the configuration. */
export const isServed = (segments: string, served: ServedShards): string =>
  `NOT EXISTS (SELECT 1 FROM stores own WHERE own.id = ${segments}.store_id AND ${isStray(served)})`;

/** By shard; those of all shards last. Empty as it should be. */
export const strayStores = (sql: Sql, served: ServedShards): Promise<StrayStores[]> =>
  sql.query<StrayStores>(
    `SELECT CASE WHEN NOT own.everywhere THEN own.shard END AS shard, count(DISTINCT own.id)::int AS stores, count(d.id)::int AS datasets
     FROM stores own LEFT JOIN datasets d ON d.store_id = own.id WHERE ${isStray(served)}
     GROUP BY 1 ORDER BY 1`,
  );

/** One of them. */
export const isStrayStore = async (sql: Sql, id: number, served: ServedShards): Promise<boolean> => {
  const [row] = await sql.query(`SELECT 1 FROM stores own WHERE own.id = $1 AND ${isStray(served)}`, [id]);
  return row !== undefined;
};

/** Stores that are everywhere. */
export const everywhereStores = async (sql: Sql): Promise<number[]> =>
  (await sql.query<{ id: number }>(`SELECT s.id FROM stores s WHERE s.everywhere ORDER BY 1`)).map(
    ({ id }) => id,
  );
