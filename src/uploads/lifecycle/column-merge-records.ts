/**
 * Processes of mode merge_columns. They have no file, so they start in the state of an upload whose rows are stored, and wait for
 * their turn among the uploads of the dataset.
 */
import { isHeldSql } from '../../jobs/leases.js';

import type { ColumnMergeMode } from '../../model/process.js';
import { segmentId } from '../../model/version.js';
import { register } from '../../rows/index.js';
import { holdDataset, numberUpload } from '../../storage/postgres/datasets.js';
import { inStates, isPending } from '../../storage/postgres/process-states.js';
import { named, type Sql } from '../../storage/postgres/sql.js';
import type { ColumnMergeIds, Layout } from '../layout/layout.js';

const mode: ColumnMergeMode = 'merge_columns';

export interface NewColumnMerge {
  readonly datasetId: number;
  readonly storeId: number;
  readonly accountId: number;
  readonly keyId: number | null;
  readonly requestId: string;
  readonly ids: ColumnMergeIds;
  /** Raw bytes of the copy. */
  readonly bytes: number;
  /** Reserves these bytes until the transaction has recorded them. @throws AppError kind `quota` */
  readonly holdStorage: (tx: Sql, bytes: number) => Promise<void>;
}

/** Layout without a file. */
const layoutOf = (columnMerge: ColumnMergeIds): Layout => ({
  dialect: { delimiter: 44, quote: 34 },
  fieldCount: 0,
  columns: [],
  columnMerge,
});

const noRows = { rows: 0, bytes: 0, minDate: null, maxDate: null, frequency: null };

/** Finds a pending process of the same caller for the same merge, for which a repeated request waits. */
const findSame = async (tx: Sql, { datasetId, accountId, keyId, ids }: NewColumnMerge) => {
  const [same] = await tx.query<{ id: number }>(
    `SELECT id FROM processes WHERE dataset_id = $1 AND ${isPending()} AND mode = '${mode}' AND created_by = $2
       AND key_id IS NOT DISTINCT FROM $3 AND layout -> 'columnMerge' = $4::jsonb ORDER BY id LIMIT 1`,
    [datasetId, accountId, keyId, JSON.stringify(ids)],
  );
  return same?.id;
};

const insertSql = named(`
  INSERT INTO processes (dataset_id, phase, mode, layout, created_by, key_id, request_id, facts, chunk_count, sealed_at,
    reserved_bytes, upload_number)
  VALUES (:datasetId, 'ready', '${mode}', :layout, :accountId, :keyId, :requestId, :facts, 0, now(), :bytes, :uploadNumber)
  RETURNING id`);

/** Inserts the process, or finds a pending one for the same merge. Call it in a transaction. @returns its id */
export const acceptColumnMerge = async (tx: Sql, merge: NewColumnMerge): Promise<number> => {
  const { datasetId, storeId, ids, bytes } = merge;
  // Under the lock, ids within a dataset grow in the order in which processes are accepted.
  await holdDataset(tx, datasetId);
  const same = await findSame(tx, merge);
  if (same !== undefined) return same;
  await merge.holdStorage(tx, bytes);
  const layout = JSON.stringify(layoutOf(ids));
  const numbered = await numberUpload(tx, datasetId);
  const [row] = await tx.query<{ id: number }>(
    insertSql,
    insertSql.values({ ...merge, layout, facts: JSON.stringify(noRows), uploadNumber: numbered?.number }),
  );
  if (row === undefined) throw new Error('a process was inserted but not returned');
  // This segment stays empty. It only determines the store in which the merge writes.
  await register(tx, { id: segmentId(row.id, 1), processId: row.id, storeId }, { near: { datasetId } });
  return row.id;
};

/** Datasets with such a process that is due and that no worker holds. */
export const datasetsToMerge = async (sql: Sql): Promise<number[]> => {
  const rows = await sql.query<{ id: number }>(
    `SELECT DISTINCT p.dataset_id AS id FROM processes p
     WHERE ${inStates(['ready', 'merge', 'merged'], 'p')} AND p.mode = '${mode}'
       AND NOT ${isHeldSql('upload', 'p.id')}`,
  );
  return rows.map(({ id }) => id);
};
