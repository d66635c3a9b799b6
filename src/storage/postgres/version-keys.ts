/** Rows of `version_keys`: the one place that writes them. They say by which columns the rows of a current version are unique. */

/**
 * Statement that notes the keys of new versions.
 * @param keys Query of `dataset_id`, `version_id` and `storage_ids`.
 */
export const keepKeysSql = (keys: string): string => `
  INSERT INTO version_keys (dataset_id, version_id, storage_ids) ${keys}
  ON CONFLICT (dataset_id) DO UPDATE SET version_id = excluded.version_id, storage_ids = excluded.storage_ids`;

/**
 * Storage ids of columns by which the rows of a version are unique, for a select list; null: not known.
 * @param version Alias of the table of versions.
 */
export const uniqueByColumn = (version: string): string =>
  `(SELECT k.storage_ids FROM version_keys k
    WHERE k.dataset_id = ${version}.dataset_id AND k.version_id = ${version}.id) AS "uniqueBy"`;
