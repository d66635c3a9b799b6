/** Rows of `stores`: where a dataset and its clones keep their segments. The one place that writes them. */

import { notHeld } from '../storage/postgres/held-segments.js';
import type { Sql } from '../storage/postgres/sql.js';

/** @param shard Number of the server that is going to have its rows. */
export const insertStore = async (tx: Sql, shard: number): Promise<number> => {
  const [store] = await tx.query<{ id: number }>('INSERT INTO stores (shard) VALUES ($1) RETURNING id', [
    shard,
  ]);
  if (store === undefined) throw new Error('a store was inserted but not returned');
  return store.id;
};

/** Its rows may be on every shard from now on. */
export const spreadStore = async (tx: Sql, id: number): Promise<void> => {
  await tx.query('UPDATE stores SET shard = NULL WHERE id = $1', [id]);
};

/** The number of the tables of a store, of `stores` under this name: its id, until it has left a shard that it was spread over. */
export const tablesOf = (store: string): string => `coalesce(${store}.table_id, ${store}.id)`;

/** The same of the store of a segment, under this name. */
export const tablesSql = (segments: string): string =>
  `(SELECT ${tablesOf('own')} FROM stores own WHERE own.id = ${segments}.store_id)`;

/** Every number of tables of the store `s`: of those that are read, of those that it left, of those that it is going to have. */
const numbersOf = `unnest(ARRAY[${tablesOf('s')}, s.left_table, s.next_table])`;

/** Those of these numbers that are tables of a store. */
export const knownTables = async (sql: Sql, tables: readonly number[]): Promise<number[]> =>
  (
    await sql.query<{ id: number }>(
      `SELECT n.id FROM stores s, ${numbersOf} AS n (id) WHERE n.id = ANY ($1)`,
      [tables],
    )
  ).map(({ id }) => id);

/** Numbers of all tables of these stores. */
export const tablesOfStores = async (sql: Sql, ids: readonly number[]): Promise<number[]> =>
  (
    await sql.query<{ id: number }>(
      `SELECT n.id FROM stores s, ${numbersOf} AS n (id) WHERE s.id = ANY ($1) AND n.id IS NOT NULL`,
      [ids],
    )
  ).map(({ id }) => id);

/** Its shard: that of the store of a segment, under this name. */
export const shardSql = (segments: string): string =>
  `(SELECT shard FROM stores WHERE id = ${segments}.store_id)`;

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

/** Stores that have one of these tables and no segment in it. Tables of a spread store stay, each with the others. */
export const emptyTables = (
  sql: Sql,
  tables: readonly number[],
): Promise<{ readonly id: number; readonly tables: number }[]> =>
  sql.query(
    `SELECT s.id, ${tablesOf('s')} AS tables FROM stores s
     WHERE ${tablesOf('s')} = ANY ($1) AND s.shard IS NOT NULL AND NOT ${usesTable} AND ${notHeld}`,
    [tables],
  );

/**
 * Keeps segments from being added to the table of a store until the end of the transaction. False: it has some again.
 * A new segment locks the row of its store as its foreign key does; a caller that waited for one sees it.
 */
export const holdEmpty = async (tx: Sql, id: number): Promise<boolean> => {
  await tx.query('SELECT 1 FROM stores WHERE id = $1 FOR UPDATE', [id]);
  const [row] = await tx.query(`SELECT 1 FROM stores s WHERE s.id = $1 AND NOT ${usesTable}`, [id]);
  return row !== undefined;
};

/** The rows of these stores lie on another shard from now on; what readers that began before need stays on the old one. */
export const switchShard = async (
  tx: Sql,
  ids: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> => {
  await tx.query(
    'UPDATE stores SET shard = $3, left_shard = $2, left_at = now() WHERE id = ANY ($1) AND shard = $2',
    [ids, from, to],
  );
};

/** Of all stores of a catalog that was restored: their rows are brought to these shards, and none was left or begun. */
export const placeStores = async (tx: Sql, shards: ReadonlyMap<number, number | null>): Promise<void> => {
  await tx.query(
    `UPDATE stores s SET shard = f.shard, left_shard = NULL, left_table = NULL, left_at = NULL, next_table = NULL
     FROM unnest($1::bigint[], $2::int[]) AS f (id, shard) WHERE s.id = f.id`,
    [[...shards.keys()], [...shards.values()]],
  );
};

/**
 * The tables of a spread store that are to be filled: those of an earlier attempt, or of a new number. Known from now on,
 * so that no sweep takes them for leftovers.
 */
export const beginTables = async (sql: Sql, id: number): Promise<number> => {
  const [store] = await sql.query<{ tables: number }>(
    `UPDATE stores SET next_table = coalesce(next_table, nextval(pg_get_serial_sequence('stores', 'id')))
     WHERE id = $1 RETURNING next_table AS tables`,
    [id],
  );
  if (store === undefined) throw new Error(`there is no store ${id}`);
  return store.tables;
};

/** Tables that were being filled are not wanted any more, those of all stores; the sweep drops them. */
export const giveUpTables = async (sql: Sql): Promise<void> => {
  await sql.query('UPDATE stores SET next_table = NULL WHERE next_table IS NOT NULL');
};

/** The rows of a spread store lie in its next tables from now on, on all shards or on the one that is left. */
export const switchTables = async (tx: Sql, id: number, shard: number | null): Promise<void> => {
  await tx.query(
    `UPDATE stores s SET left_table = ${tablesOf('s')}, table_id = next_table, next_table = NULL, left_at = now(), shard = $2
     WHERE s.id = $1 AND s.next_table IS NOT NULL`,
    [id, shard],
  );
};

/** What a store has left: its tables on a shard, or all tables of a number. */
export interface LeftTables {
  readonly id: number;
  readonly tables: number;
  /** Null: on all. */
  readonly shard: number | null;
}

/** Some of those that were moved so many milliseconds ago, and what they left. */
export const leftStores = (sql: Sql, graceMs: number, most: number): Promise<LeftTables[]> =>
  sql.query(
    `SELECT s.id, coalesce(s.left_table, ${tablesOf('s')}) AS tables,
       CASE WHEN s.left_table IS NULL THEN s.left_shard END AS shard FROM stores s
     WHERE s.left_at <= now() - $1 * interval '1 millisecond' AND (s.left_table IS NOT NULL OR s.left_shard <> s.shard)
       AND ${notHeld} LIMIT ${most}`,
    [graceMs],
  );

/** Nothing of it is left there. */
export const forgetLeft = async (sql: Sql, id: number): Promise<void> => {
  await sql.query('UPDATE stores SET left_shard = NULL, left_table = NULL, left_at = NULL WHERE id = $1', [
    id,
  ]);
};
