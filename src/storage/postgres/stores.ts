/** Rows of `stores`: where a dataset and its clones keep their segments. The one place that writes them. */
import { notHeld } from './held-segments.js';
import type { Sql } from './sql.js';

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

/** Of these stores: their table holds nothing any more, from now on. Tables of a spread one stay, each with the others. */
export const noteEmptied = async (sql: Sql, ids: readonly number[]): Promise<void> => {
  await sql.query(
    `UPDATE stores s SET emptied_at = now()
     WHERE s.id = ANY ($1) AND s.emptied_at IS NULL AND s.shard IS NOT NULL AND NOT ${usesTable}`,
    [ids],
  );
};

/** Its table has gone. */
export const forgetEmptied = async (sql: Sql, id: number): Promise<void> => {
  await sql.query('UPDATE stores SET emptied_at = NULL WHERE id = $1', [id]);
};

/** Some of those whose table has held nothing for so many milliseconds. */
export const emptiedStores = async (sql: Sql, graceMs: number, most: number): Promise<number[]> => {
  await sql.query(`UPDATE stores s SET emptied_at = NULL WHERE s.emptied_at IS NOT NULL AND ${usesTable}`);
  const emptied = await sql.query<{ id: number }>(
    `SELECT s.id FROM stores s WHERE s.emptied_at <= now() - $1 * interval '1 millisecond' AND ${notHeld} LIMIT ${most}`,
    [graceMs],
  );
  return emptied.map(({ id }) => id);
};

/**
 * Keeps segments from being added to the table of a store until the end of the transaction. False: it holds some again.
 * A new segment locks the row of its store as its foreign key does; who has waited for one sees it.
 */
export const holdEmptied = async (tx: Sql, id: number): Promise<boolean> => {
  await tx.query('SELECT 1 FROM stores WHERE id = $1 FOR UPDATE', [id]);
  const [row] = await tx.query(
    `SELECT 1 FROM stores s WHERE s.id = $1 AND s.emptied_at IS NOT NULL AND NOT ${usesTable}`,
    [id],
  );
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

/** Some of those that were moved so many milliseconds ago, and the shard that they left. */
export const leftStores = (
  sql: Sql,
  graceMs: number,
  most: number,
): Promise<{ readonly id: number; readonly shard: number }[]> =>
  sql.query(
    `SELECT s.id, s.left_shard AS shard FROM stores s
     WHERE s.left_at <= now() - $1 * interval '1 millisecond' AND s.left_shard <> s.shard AND ${notHeld} LIMIT ${most}`,
    [graceMs],
  );

/** Nothing of it is left there. */
export const forgetLeft = async (sql: Sql, id: number): Promise<void> => {
  await sql.query('UPDATE stores SET left_shard = NULL, left_at = NULL WHERE id = $1', [id]);
};
