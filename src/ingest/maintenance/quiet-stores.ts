/** Stores that nobody begins to write. */
import type { Sql } from '../../storage/postgres/sql.js';

/**
 * Keeps stores as they are until the end of the transaction: nobody accepts an upload, publishes, restores, clones,
 * compacts or drops a version of theirs.
 */
export const lockStores = async (tx: Sql, ids: readonly number[]): Promise<void> => {
  await tx.query('SELECT 1 FROM datasets WHERE store_id = ANY ($1) ORDER BY id FOR NO KEY UPDATE', [ids]);
  await tx.query('SELECT 1 FROM stores WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE', [ids]);
};
