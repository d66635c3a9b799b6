import { isOpen } from '../../rows/sql.js';
import { inStates } from '../../storage/postgres/process-states.js';

/** Condition that an upload to a store is being merged or replayed. @param storeId SQL expression for the id of the store. */
export const isStoreJoined = (storeId: string): string =>
  `EXISTS (SELECT 1 FROM processes p JOIN datasets d ON d.id = p.dataset_id
    WHERE d.store_id = ${storeId} AND ${inStates(['merge', 'replay'], 'p')})`;

/**
 * Condition that a version came from an upload, and that its dataset had no other one in the hour before.
 * @param version Alias of the table of versions.
 */
export const isFirstForAnHour = (version: string): string =>
  `(${version}.process_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM (SELECT p.created_at FROM processes p
      WHERE p.dataset_id = ${version}.dataset_id AND p.id < ${version}.process_id ORDER BY p.id DESC LIMIT 1) AS p
    WHERE p.created_at > ${version}.created_at - interval '1 hour'))`;

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
