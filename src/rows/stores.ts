/** Rows of `stores`: where a dataset and its clones keep their segments. No other file writes them. */
import { firstShard, type ServedShards } from '../storage/clickhouse/client.js';
import { raiseSetting, setSetting } from '../storage/postgres/settings.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { OwnTable } from './tables.js';

/** @param turns Shard numbers, of which the id of the store selects its home. */
export const insertStore = async (tx: Sql, turns: readonly number[] = [firstShard]): Promise<number> => {
  const [store] = await tx.query<{ id: number }>(
    `INSERT INTO stores (id, shard) OVERRIDING SYSTEM VALUE
     SELECT id, ($1::int[])[1 + id % cardinality($1::int[])]
     FROM nextval(pg_get_serial_sequence('stores', 'id')) AS next (id) RETURNING id`,
    [turns],
  );
  if (store === undefined) throw new Error('a store was inserted but not returned');
  return store.id;
};

/** Setting with the largest number of shards so far. Rows that are everywhere may be on each of them. */
const shardsKey = 'rows_shards';

/** Records that rows may be on so many shards. A smaller number changes nothing. */
export const noteShards = (sql: Sql, shards: number): Promise<void> => raiseSetting(sql, shardsKey, shards);

/** Marks a store whose rows may be on every shard. */
export const placeEverywhere = async (tx: Sql, id: number): Promise<void> => {
  await tx.query('UPDATE stores SET everywhere = true WHERE id = $1', [id]);
};

/** Own tables on a shard other than the home of their store; stores on all shards are left out. */
export const awayFromHome = (sql: Sql, tables: readonly OwnTable[]): Promise<OwnTable[]> =>
  sql.query<OwnTable>(
    `SELECT f.id AS "storeId", f.shard FROM unnest($1::bigint[], $2::int[]) AS f (id, shard)
     JOIN stores s ON s.id = f.id WHERE NOT s.everywhere AND s.shard <> f.shard`,
    [tables.map(({ storeId }) => storeId), tables.map(({ shard }) => shard)],
  );

/** Locks a store at home until the end of the transaction. Returns false if it is everywhere by now. */
export const holdAtHome = async (tx: Sql, id: number): Promise<boolean> => {
  const held = await tx.query('SELECT 1 FROM stores WHERE id = $1 AND NOT everywhere FOR UPDATE', [id]);
  return held.length > 0;
};

/** Where the rows of a restored store go. */
export interface RestoredHome {
  readonly id: number;
  readonly shard: number;
  readonly everywhere: boolean;
}

/** Sets the homes of all stores of a catalog restored to so many shards. */
export const placeStores = async (tx: Sql, homes: readonly RestoredHome[], shards: number): Promise<void> => {
  await setSetting(tx, shardsKey, String(shards));
  await tx.query(
    `UPDATE stores s SET shard = f.shard, everywhere = f.everywhere
     FROM unnest($1::bigint[], $2::int[], $3::boolean[]) AS f (id, shard, everywhere) WHERE s.id = f.id`,
    [homes.map(({ id }) => id), homes.map(({ shard }) => shard), homes.map(({ everywhere }) => everywhere)],
  );
};

/** SQL of the shard of a segment; null: all shards. @param segments Alias of `segments`. */
export const shardSql = (segments: string): string =>
  `(SELECT CASE WHEN NOT everywhere THEN shard END FROM stores WHERE id = ${segments}.store_id)`;

const idsOf = async (sql: Sql, query: string, values: readonly unknown[] = []): Promise<number[]> =>
  (await sql.query<{ id: number }>(query, values)).map(({ id }) => id);

export const everywhereStores = (sql: Sql): Promise<number[]> =>
  idsOf(sql, 'SELECT id FROM stores WHERE everywhere ORDER BY 1');

/** Those of the ids that are stores. */
export const knownStores = (sql: Sql, ids: readonly number[]): Promise<number[]> =>
  idsOf(sql, 'SELECT id FROM stores WHERE id = ANY ($1)', [ids]);

/** Condition that neither a dataset nor a segment refers to the store `s`. */
const isOrphaned = `NOT EXISTS (SELECT 1 FROM datasets d WHERE d.store_id = s.id)
  AND NOT EXISTS (SELECT 1 FROM segments g WHERE g.store_id = s.id)`;

/** Up to `most` stores without datasets and segments. */
export const orphanedStores = (sql: Sql, most: number): Promise<number[]> =>
  idsOf(sql, `SELECT s.id FROM stores s WHERE ${isOrphaned} LIMIT $1`, [most]);

/** Deletes orphaned stores among the given ones. Returns their ids. */
export const deleteOrphanedStores = (sql: Sql, ids: readonly number[]): Promise<number[]> =>
  idsOf(sql, `DELETE FROM stores s WHERE s.id = ANY ($1) AND ${isOrphaned} RETURNING s.id`, [ids]);

/** Condition that the store `s` has segments in its own table. */
const usesTable = 'EXISTS (SELECT 1 FROM segments g WHERE g.store_id = s.id AND g.slot_map_id IS NULL)';

/** Stores without segments in their own table. Leaves out stores on all shards. */
export const emptyTables = (sql: Sql, ids: readonly number[]): Promise<number[]> =>
  idsOf(sql, `SELECT s.id FROM stores s WHERE s.id = ANY ($1) AND NOT s.everywhere AND NOT ${usesTable}`, [
    ids,
  ]);

/**
 * Locks an own table against new segments until the end of the transaction. Returns false if it has segments again. A new segment locks the
 * row of its store through its foreign key, so this waits for it and sees it.
 */
export const holdEmpty = async (tx: Sql, id: number): Promise<boolean> => {
  await tx.query('SELECT 1 FROM stores WHERE id = $1 FOR UPDATE', [id]);
  const [row] = await tx.query(`SELECT 1 FROM stores s WHERE s.id = $1 AND NOT ${usesTable}`, [id]);
  return row !== undefined;
};

/** Number of stores by shard; null: on all shards. */
export const countStores = (
  sql: Sql,
): Promise<{ readonly shard: number | null; readonly stores: number }[]> =>
  sql.query(
    'SELECT CASE WHEN NOT everywhere THEN shard END AS shard, count(*)::int AS stores FROM stores GROUP BY 1 ORDER BY 1',
  );

/** Stores on a shard that is not configured. */
export interface UnservedStores {
  /** Null: on several shards. */
  readonly shard: number | null;
  readonly stores: number;
  /** Datasets that cannot be read. */
  readonly datasets: number;
}

/**
 * Condition that not all servers with rows of the store `own` are configured; the first shard always is. A store that is everywhere may have
 * rows on as many shards as there ever were.
 */
const isUnserved = ({ shards, isCluster }: ServedShards): string => `(own.everywhere OR own.shard > 1)
  AND NOT (own.shard = ANY ('{${shards.map(Number).join(',')}}') AND (NOT own.everywhere OR ${isCluster} AND ${shards.length} >=
    coalesce((SELECT value::int FROM settings WHERE name = '${shardsKey}'), 0)))`;

/** Condition that the rows of the segment `s` are on configured servers. */
export const isServed = (served: ServedShards): string =>
  `NOT EXISTS (SELECT 1 FROM stores own WHERE own.id = s.store_id AND ${isUnserved(served)})`;

/** Unserved stores by shard, those on all shards last. Normally empty. */
export const unservedStores = (sql: Sql, served: ServedShards, id?: number): Promise<UnservedStores[]> =>
  sql.query<UnservedStores>(
    `SELECT CASE WHEN NOT own.everywhere THEN own.shard END AS shard, count(DISTINCT own.id)::int AS stores, count(d.id)::int AS datasets
     FROM stores own LEFT JOIN datasets d ON d.store_id = own.id
     WHERE ($1::bigint IS NULL OR own.id = $1) AND ${isUnserved(served)} GROUP BY 1 ORDER BY 1`,
    [id ?? null],
  );
