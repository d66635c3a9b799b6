/** Rows of `datasets`. Only this file writes them. */
import { conflict } from '../../lib/errors.js';
import { uploadsPerDataset } from '../../model/position.js';
import { named, prepared, type Sql } from './sql.js';

/** Texts about a dataset, written by users. */
export interface DatasetText {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly sourceName?: string | null | undefined;
  readonly sourceUrl?: string | null | undefined;
}

interface NewDataset extends DatasetText {
  readonly repositoryId: number;
  readonly storeId: number;
  readonly accountId: number;
  /** Uploads that were accepted to the dataset whose segments it gets. @default 0 */
  readonly uploadCount?: number;
}

export interface HeldDataset {
  /** Id of the current version. */
  readonly current: number | null;
}

/**
 * Until the end of the transaction no other session can publish, restore or delete versions of the dataset, rename its columns or accept an
 * upload to it. This lock is taken before all others. Undefined if there is no such dataset.
 */
export const holdDataset = async (tx: Sql, id: number): Promise<HeldDataset | undefined> =>
  (await holdDatasets(tx, [id])).get(id);

const holdSql = (condition: string) =>
  prepared(
    `SELECT id, current_version_id AS current FROM datasets WHERE ${condition} ORDER BY id FOR NO KEY UPDATE`,
  );
const holdByIds = holdSql('id = ANY ($1)');
const holdByStore = holdSql('store_id = $1');

/** The same for several datasets, locked in a fixed order. Unknown ones are missing in the result. */
export const holdDatasets = async (tx: Sql, ids: readonly number[]): Promise<Map<number, HeldDataset>> => {
  const rows = await tx.query<HeldDataset & { id: number }>(holdByIds, [ids]);
  return new Map(rows.map(({ id, current }) => [id, { current }]));
};

/** The same for all datasets of a store. */
export const holdDatasetsOf = async (tx: Sql, storeId: number): Promise<void> => {
  await tx.query(holdByStore, [storeId]);
};

/** Statement that locks a dataset like `holdDataset` and numbers an upload to it; returns `id`, `current` and `number`. */
export const numberUploadSql = (dataset: string): string => `
  UPDATE datasets SET upload_count = upload_count + 1 WHERE id = ${dataset}
  RETURNING id, current_version_id AS current, upload_count AS number`;

/** @throws AppError 409 if a dataset has used all numbers. */
export const requireUploadNumber = (number: number): number => {
  if (number < uploadsPerDataset) return number;
  throw conflict(
    'too_many_uploads',
    `A dataset can have at most ${uploadsPerDataset - 1} uploads; create another dataset.`,
  );
};

/** The same as a separate statement. Undefined if there is no such dataset. @throws AppError 409. */
export const numberUpload = async (
  tx: Sql,
  id: number,
): Promise<(HeldDataset & { readonly number: number }) | undefined> => {
  const [row] = await tx.query<HeldDataset & { number: number }>(numberUploadSql('$1'), [id]);
  return row && { current: row.current, number: requireUploadNumber(row.number) };
};

const insertSql = named(`
  INSERT INTO datasets (repository_id, store_id, name, description, source_name, source_url, created_by, upload_count)
  VALUES (:repositoryId, :storeId, :name, :description, :sourceName, :sourceUrl, :accountId, :uploadCount)
  ON CONFLICT ON CONSTRAINT datasets_name DO NOTHING RETURNING id`);

/** Returns its id; undefined if the repository has a dataset with this name. */
export const insertDataset = async (tx: Sql, dataset: NewDataset): Promise<number | undefined> => {
  const { description, sourceName, sourceUrl, uploadCount = 0 } = dataset;
  const [row] = await tx.query<{ id: number }>(
    insertSql,
    insertSql.values({ ...dataset, description, sourceName, sourceUrl, uploadCount }),
  );
  return row?.id;
};

export const describeDataset = async (sql: Sql, id: number, text: DatasetText): Promise<void> => {
  await sql.query(
    `UPDATE datasets SET name = $2, description = $3, source_name = $4, source_url = $5, updated_at = now()
     WHERE id = $1`,
    [id, text.name, text.description ?? null, text.sourceName ?? null, text.sourceUrl ?? null],
  );
};

/** Returns the deleted dataset; undefined if there was none. */
export const deleteDataset = async (
  tx: Sql,
  id: number,
): Promise<{ readonly name: string; readonly repositoryId: number } | undefined> => {
  const [row] = await tx.query<{ name: string; repositoryId: number }>(
    'DELETE FROM datasets WHERE id = $1 RETURNING name, repository_id AS "repositoryId"',
    [id],
  );
  return row;
};

/** Limits of old versions; the current one is always kept. null: no limit. */
export const boundVersions = async (
  sql: Sql,
  id: number,
  { versions, days }: { readonly versions: number | null; readonly days: number | null },
): Promise<void> => {
  await sql.query('UPDATE datasets SET keep_versions = $2, keep_days = $3 WHERE id = $1', [
    id,
    versions,
    days,
  ]);
};

/** Statement that records the start of validity of the oldest version, the one of `version (id)`. All arguments are expressions. */
export const firstVersionSql = (dataset: string, at: string): string =>
  `UPDATE datasets SET first_version_at = ${at}, updated_at = now() FROM version WHERE datasets.id = ${dataset}`;

/** Statement that makes the version in `version (id, dataset_id)` the current version of its dataset. */
export const showVersionSql = `UPDATE datasets SET current_version_id = version.id, updated_at = now()
  FROM version WHERE datasets.id = version.dataset_id`;

/** Makes the newest version of a dataset in a backup (rows/saved-dataset.ts) the current one. */
export const showRestored = async (tx: Sql, id: number): Promise<void> => {
  await tx.query(
    `UPDATE datasets d SET current_version_id = (SELECT max(id) FROM new_versions),
       first_version_at = (SELECT coalesce(v.valid_from, v.created_at) FROM saved_versions v ORDER BY v.id LIMIT 1)
     WHERE d.id = $1`,
    [id],
  );
};

/** Records that names, roles or descriptions of columns were changed: files made with the old ones are outdated. */
export const columnsChanged = async (tx: Sql, id: number): Promise<void> => {
  await tx.query(
    'UPDATE datasets SET columns_revision = columns_revision + 1, updated_at = now() WHERE id = $1',
    [id],
  );
};

/** Records that rows of a version were repaired: processes that remember the version read it again. */
export const rowsRepaired = async (tx: Sql, id: number): Promise<void> => {
  await tx.query('UPDATE datasets SET columns_revision = columns_revision + 1 WHERE id = $1', [id]);
};

/** Selects datasets by repository or account; all if neither is given. */
export interface OfOwner {
  readonly owner?: number | null;
  readonly repositoryId?: number | null;
}

/** Assigns datasets of an account in repositories of others to the owners of these repositories. */
export const reassignDatasets = async (
  tx: Sql,
  accountId: number,
  { owner = null, repositoryId = null }: OfOwner = {},
): Promise<void> => {
  await tx.query(
    `UPDATE datasets d SET created_by = r.created_by FROM repositories r
     WHERE r.id = d.repository_id AND d.created_by = $1 AND r.created_by <> $1
       AND ($2::bigint IS NULL OR r.created_by = $2) AND ($3::bigint IS NULL OR r.id = $3)`,
    [accountId, owner, repositoryId],
  );
};
