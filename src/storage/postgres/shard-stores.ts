/** Which stores lie on which shard, and what they hold. */
import type { Sql } from './sql.js';

export interface StoreOnShard {
  readonly id: number;
  readonly shard: number;
  /** Raw bytes of what versions name. */
  readonly bytes: number;
}

/** Stores whose rows lie on one shard. */
export const storesOnShards = (sql: Sql): Promise<StoreOnShard[]> =>
  sql.query<StoreOnShard>(
    `SELECT s.id, s.shard, coalesce(sum(g.bytes), 0)::bigint AS bytes FROM stores s
     LEFT JOIN segments g ON g.store_id = s.id AND g.rows > 0
       AND EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = g.id)
     WHERE s.shard IS NOT NULL GROUP BY s.id ORDER BY s.id`,
  );

/** Stores by shard; null: those that are spread over all shards. */
export const countStores = (
  sql: Sql,
): Promise<{ readonly shard: number | null; readonly stores: number }[]> =>
  sql.query('SELECT shard, count(*)::int AS stores FROM stores GROUP BY shard ORDER BY shard');

/** Stores whose rows lie on all shards. */
export const spreadStores = async (sql: Sql): Promise<number[]> =>
  (await sql.query<{ id: number }>('SELECT id FROM stores WHERE shard IS NULL ORDER BY id')).map(
    ({ id }) => id,
  );
