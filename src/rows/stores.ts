/** Rows of `stores`: where a dataset and its clones keep their segments. The one place that writes them. */

import { firstShard } from '../storage/clickhouse/client.js';
import { notHeld } from '../storage/postgres/held-segments.js';
import type { Sql } from '../storage/postgres/sql.js';

/** @param turns Numbers of shards: the id of the store takes one of them in turn as its home. */
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

/** The rows of the store may be on every shard from now on. */
export const placeEverywhere = async (tx: Sql, id: number): Promise<void> => {
  await tx.query('UPDATE stores SET everywhere = true WHERE id = $1', [id]);
};

/** Those of these numbers that are stores. */
export const knownStores = async (sql: Sql, ids: readonly number[]): Promise<number[]> =>
  (await sql.query<{ id: number }>('SELECT id FROM stores WHERE id = ANY ($1)', [ids])).map(({ id }) => id);

/** Shard of a segment's store, of `segments` under this name; null: all of them. */
export const shardSql = (segments: string): string =>
  `(SELECT CASE WHEN NOT everywhere THEN shard END FROM stores WHERE id = ${segments}.store_id)`;

/** Neither a dataset nor a segment names the store `s`, and no backup or restore is under way. */
const lonely = `${notHeld} AND NOT EXISTS (SELECT 1 FROM datasets d WHERE d.store_id = s.id)
  AND NOT EXISTS (SELECT 1 FROM segments g WHERE g.store_id = s.id)`;

/** Segments of the store `s` lie in its table. */
const usesTable = 'EXISTS (SELECT 1 FROM segments g WHERE g.store_id = s.id AND g.slot_map_id IS NULL)';

/** Some of those that no dataset and no segment names. */
export const lonelyStores = async (sql: Sql, most: number): Promise<number[]> =>
  (await sql.query<{ id: number }>(`SELECT s.id FROM stores s WHERE ${lonely} LIMIT ${most}`)).map(
    ({ id }) => id,
  );

/** Those of them that nothing names (any more); gives their number. */
export const deleteLonelyStores = async (sql: Sql, ids: readonly number[]): Promise<number> =>
  (await sql.query(`DELETE FROM stores s WHERE s.id = ANY ($1) AND ${lonely} RETURNING 1`, [ids])).length;

/** Stores whose table at home has no segment. Tables that are on all shards stay, each with the others. */
export const emptyTables = async (sql: Sql, ids: readonly number[]): Promise<number[]> =>
  (
    await sql.query<{ id: number }>(
      `SELECT s.id FROM stores s WHERE s.id = ANY ($1) AND NOT s.everywhere AND NOT ${usesTable} AND ${notHeld}`,
      [ids],
    )
  ).map(({ id }) => id);

/**
 * Keeps segments from being added to the table of a store until the end of the transaction. False: it has some again.
 * A new segment locks the row of its store as its foreign key does; a caller that waited for one sees it.
 */
export const holdEmpty = async (tx: Sql, id: number): Promise<boolean> => {
  await tx.query('SELECT 1 FROM stores WHERE id = $1 FOR UPDATE', [id]);
  const [row] = await tx.query(`SELECT 1 FROM stores s WHERE s.id = $1 AND NOT ${usesTable}`, [id]);
  return row !== undefined;
};

/** Where a restore brings the rows of a store. */
export interface RestoredHome {
  readonly id: number;
  readonly shard: number;
  readonly everywhere: boolean;
}

/** Sets the homes of all stores of a catalog that was restored. */
export const placeStores = async (tx: Sql, homes: readonly RestoredHome[]): Promise<void> => {
  await tx.query(
    `UPDATE stores s SET shard = f.shard, everywhere = f.everywhere
     FROM unnest($1::bigint[], $2::int[], $3::boolean[]) AS f (id, shard, everywhere) WHERE s.id = f.id`,
    [homes.map(({ id }) => id), homes.map(({ shard }) => shard), homes.map(({ everywhere }) => everywhere)],
  );
};
