import { isOpen } from '../../rows/sql.js';
import { inStates, isCompleted } from '../../storage/postgres/process-states.js';

/** Largest id of PostgreSQL. */
const maxId = '9223372036854775807';

/** Condition that an upload to a store is being merged or replayed. @param storeId SQL expression for the id of the store. */
export const isStoreJoined = (storeId: string): string =>
  `EXISTS (SELECT 1 FROM processes p JOIN datasets d ON d.id = p.dataset_id
    WHERE d.store_id = ${storeId} AND ${inStates(['merge', 'replay'], 'p')})`;

/** Earlier uploads that are looked at, however many of them have failed. */
const fewUploads = 10;

/**
 * Condition that the dataset had no other successful upload in the hour before a version.
 * @param version Alias of the table of versions.
 */
export const isFirstForAnHour = (version: string): string =>
  `NOT EXISTS (SELECT 1 FROM (SELECT p.* FROM processes p WHERE p.dataset_id = ${version}.dataset_id
      AND p.id < coalesce(${version}.process_id, ${maxId}) ORDER BY p.id DESC LIMIT ${fewUploads}) AS p
    WHERE p.created_at > ${version}.created_at - interval '1 hour' AND ${isCompleted('p')} AND NOT p.dry_run)`;

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
