/** Rows of `version_keys`: the columns by which the rows of a version are unique. Only this file writes them. */
import { prepared, type Sql } from './sql.js';

/**
 * Statement that records the keys of versions. A key that is already known is kept.
 * @param keys Query of `version_id` and `storage_ids`.
 */
export const keepKeysSql = (keys: string): string => `
  INSERT INTO version_keys AS k (version_id, storage_ids) ${keys}
  ON CONFLICT (version_id) DO UPDATE SET storage_ids = EXCLUDED.storage_ids WHERE k.storage_ids IS NULL`;

/** Storage ids of columns by which the rows of the version `v` are unique, for a select list; null: not known. */
export const uniqueByColumn = `(SELECT k.storage_ids FROM version_keys k WHERE k.version_id = v.id) AS "uniqueBy"`;

const keysSql = prepared(
  'SELECT version_id AS "versionId", storage_ids AS "storageIds" FROM version_keys WHERE version_id = ANY ($1) AND storage_ids IS NOT NULL',
);

/** Storage ids of columns by which the rows of versions are unique, without versions whose columns are unknown. */
export const readKeys = async (
  sql: Sql,
  versionIds: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> => {
  const rows = await sql.query<{ versionId: number; storageIds: number[] }>(keysSql, [versionIds]);
  return new Map(rows.map(({ versionId, storageIds }) => [versionId, storageIds]));
};
