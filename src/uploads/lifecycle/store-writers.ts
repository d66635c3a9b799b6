import { isOpen } from '../../rows/sql.js';
import { inStates } from '../../storage/postgres/process-states.js';

/** Condition that an upload to a store is being merged or replayed. @param storeId SQL expression for the id of the store. */
export const isStoreJoined = (storeId: string): string =>
  `EXISTS (SELECT 1 FROM processes p JOIN datasets d ON d.id = p.dataset_id
    WHERE d.store_id = ${storeId} AND ${inStates(['merge', 'replay'], 'p')})`;

/**
 * Condition that an upload or a compaction writes to a store, or is about to.
 * @param store Alias of the table of stores.
 * @param except SQL expression for the id of a process to ignore.
 */
export const isStoreWritten = (store: string, except = 'NULL::bigint'): string =>
  `(EXISTS (SELECT 1 FROM processes p JOIN datasets d ON d.id = p.dataset_id
    WHERE d.store_id = ${store}.id AND p.id IS DISTINCT FROM ${except}
      AND ${inStates(['insert', 'collect', 'replay', 'ready', 'merge', 'merged'], 'p')})
  OR EXISTS (SELECT 1 FROM compactions c WHERE c.store_id = ${store}.id AND ${isOpen}))`;
