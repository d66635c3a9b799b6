/** Stores that nobody writes: the condition under which all rows of one may be moved. */
import type { Sql } from '../../storage/postgres/sql.js';
import { inStates } from '../lifecycle/transitions.js';

/** Condition that an upload or a compaction of the store `s` is under way. */
export const isWritten = `(EXISTS (SELECT 1 FROM processes p JOIN datasets d ON d.id = p.dataset_id
    WHERE d.store_id = s.id AND ${inStates(['insert', 'collect', 'replay', 'ready', 'merge', 'merged'], 'p')})
  OR EXISTS (SELECT 1 FROM compactions c WHERE c.store_id = s.id AND c.state IN ('writing', 'swapping')))`;

/**
 * Keeps stores as they are until the end of the transaction: nobody accepts an upload, publishes, restores, clones,
 * compacts or drops a version of theirs.
 */
export const lockStores = async (tx: Sql, ids: readonly number[]): Promise<void> => {
  await tx.query('SELECT 1 FROM datasets WHERE store_id = ANY ($1) ORDER BY id FOR NO KEY UPDATE', [ids]);
  await tx.query('SELECT 1 FROM stores WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE', [ids]);
};
