import type { Sql } from '../../storage/postgres/sql.js';

/** What is registered of a column of a dataset, whether a version has it or not. */
export interface RegisteredColumn {
  readonly id: number;
  readonly storageId: number;
  readonly name: string;
  readonly description: string | null;
  /** Set by hand; null: as the type decides. */
  readonly isEntity: boolean | null;
}

export const readRegistry = (sql: Sql, datasetId: number): Promise<RegisteredColumn[]> =>
  sql.query<RegisteredColumn>(
    `SELECT id, coalesce(storage_id, id) AS "storageId", name, description, is_entity AS "isEntity"
     FROM columns WHERE dataset_id = $1`,
    [datasetId],
  );

/**
 * Until the transaction ends no column of the dataset is renamed and no version of it published. Whoever changes
 * columns takes this lock before theirs.
 */
export const holdColumns = (tx: Sql, datasetId: number): Promise<unknown> =>
  tx.query('SELECT 1 FROM datasets WHERE id = $1 FOR NO KEY UPDATE', [datasetId]);

/** Makes the columns of these names that the dataset does not know. */
export const registerColumns = async (
  sql: Sql,
  datasetId: number,
  names: readonly string[],
): Promise<void> => {
  await sql.query(
    `INSERT INTO columns (dataset_id, name) SELECT $1, wanted.name
     FROM unnest($2::text[]) WITH ORDINALITY AS wanted (name, position)
     WHERE NOT EXISTS (SELECT 1 FROM columns c WHERE c.dataset_id = $1 AND c.name = wanted.name)
     ORDER BY wanted.position ON CONFLICT ON CONSTRAINT columns_name DO NOTHING`,
    [datasetId, names],
  );
};
