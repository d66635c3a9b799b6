import { dropUnusedLists } from '../../storage/postgres/column-lists.js';
import { forgetVersions } from '../../storage/postgres/segment-ranges.js';
import type { Sql } from '../../storage/postgres/sql.js';

/**
 * Removes versions of a dataset with what nothing else has. The caller holds the lock of the dataset. Their rows follow
 * by the sweep, once no version of the dataset or of a clone has them.
 */
export const removeVersions = async (tx: Sql, datasetId: number, ids: readonly number[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx.query('DELETE FROM versions WHERE dataset_id = $1 AND id = ANY ($2)', [datasetId, ids]);
  await forgetVersions(tx, datasetId, ids);
  await dropUnusedLists(tx, datasetId);
};
