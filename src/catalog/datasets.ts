import { AppError, conflict, notFound } from '../lib/errors.js';
import type { Instant } from '../lib/instant.js';
import type { Caller } from '../model/permission.js';
import { recordAudit } from '../storage/postgres/audit.js';
import type { Sql } from '../storage/postgres/sql.js';
import { versionAt } from '../storage/postgres/version-at.js';
import type { Access } from './access.js';
import {
  type Dataset,
  type DatasetFilter,
  type DatasetSummary,
  listDatasets,
  readDataset,
} from './dataset-list.js';
import { requireName } from './names.js';
import { rowLimits, tooMany } from './row-limits.js';
import { brokenUnique } from './sql-state.js';

/** What people write about a dataset. */
export interface DatasetText {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly sourceName?: string | null | undefined;
  readonly sourceUrl?: string | null | undefined;
}

export interface Datasets {
  list(caller: Caller, filter: DatasetFilter): AsyncIterable<readonly DatasetSummary[]>;
  /** @throws AppError 401, 403, 404. */
  read(caller: Caller | undefined, id: number, asOf?: Instant): Promise<Dataset>;
  /** @throws AppError 403 without Write on the repository or when there is none, 409 for a taken name. */
  create(caller: Caller, repositoryId: number, text: DatasetText): Promise<DatasetSummary>;
  /** Replaces name, description and source. @throws AppError 403, 404, 409. */
  update(caller: Caller, id: number, text: DatasetText): Promise<Dataset>;
  /** Removes it; rows and files follow in the background. @throws AppError 403, 404. */
  remove(caller: Caller, id: number): Promise<void>;
}

const nameTaken = (name: string): AppError =>
  conflict('name_taken', `The repository already has a dataset ${name}.`);

/**
 * Keeps a repository from being deleted until the transaction ends, for a further dataset in it.
 * @throws AppError 403 when it has gone, 409 when it is full.
 */
export const holdRepository = async (tx: Sql, repositoryId: number): Promise<void> => {
  const [row] = await tx.query('SELECT 1 FROM repositories WHERE id = $1 FOR KEY SHARE', [repositoryId]);
  if (row === undefined)
    throw new AppError('forbidden', 'no_permission', 'You have no permission on this repository.');
  const [kept] = await tx.query<{ datasets: number }>(
    'SELECT count(*) AS datasets FROM datasets WHERE repository_id = $1',
    [repositoryId],
  );
  if ((kept?.datasets ?? 0) >= rowLimits.datasets) throw tooMany('datasets', 'A repository');
};

export interface NewDataset extends DatasetText {
  readonly repositoryId: number;
  readonly storeId: number;
  readonly accountId: number;
}

/** @throws AppError 409 when the repository has a dataset of this name. */
export const insertDataset = async (tx: Sql, dataset: NewDataset): Promise<number> => {
  const [row] = await tx.query<{ id: number }>(
    `INSERT INTO datasets (repository_id, store_id, name, description, source_name, source_url, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT ON CONSTRAINT datasets_name DO NOTHING RETURNING id`,
    [
      dataset.repositoryId,
      dataset.storeId,
      dataset.name,
      dataset.description ?? null,
      dataset.sourceName ?? null,
      dataset.sourceUrl ?? null,
      dataset.accountId,
    ],
  );
  if (row === undefined) throw nameTaken(dataset.name);
  return row.id;
};

/** @throws AppError 404 when it was deleted meanwhile. */
export const datasetAgain = async (sql: Sql, caller: Caller | undefined, id: number): Promise<Dataset> => {
  const dataset = await readDataset(sql, caller, id);
  if (dataset === undefined) throw notFound('dataset_not_found', `There is no dataset ${id}.`);
  return dataset;
};

const summaryOf = ({
  columns: _columns,
  moreColumns: _moreColumns,
  retention: _retention,
  refresh: _refresh,
  ...summary
}: Dataset): DatasetSummary => summary;

export const createDatasets = ({ sql, access }: { sql: Sql; access: Access }): Datasets => ({
  list: (caller, filter) => listDatasets(sql, caller, filter),

  async read(caller, id, asOf) {
    await access.dataset(caller, id, 'Read', 'read');
    if (asOf === undefined) return datasetAgain(sql, caller, id);
    const dataset = await readDataset(sql, caller, id, await versionAt(sql, id, asOf));
    if (dataset === undefined) throw notFound('dataset_not_found', `There is no dataset ${id}.`);
    return dataset;
  },

  async create(caller, repositoryId, text) {
    await access.repository(caller, repositoryId, 'Write', 'write', 'destination');
    requireName(text.name);
    return sql.tx(async (tx) => {
      await holdRepository(tx, repositoryId);
      const [store] = await tx.query<{ id: number }>('INSERT INTO stores DEFAULT VALUES RETURNING id');
      if (store === undefined) throw new AppError('unexpected', 'no_row', 'a store was not returned');
      const { accountId } = caller;
      const id = await insertDataset(tx, { ...text, repositoryId, storeId: store.id, accountId });
      return summaryOf(await datasetAgain(tx, caller, id));
    });
  },

  async update(caller, id, text) {
    await access.dataset(caller, id, 'Write', 'write');
    requireName(text.name);
    try {
      await sql.query(
        `UPDATE datasets SET name = $2, description = $3, source_name = $4, source_url = $5, updated_at = now()
         WHERE id = $1`,
        [id, text.name, text.description ?? null, text.sourceName ?? null, text.sourceUrl ?? null],
      );
    } catch (error) {
      if (brokenUnique(error) === 'datasets_name') throw nameTaken(text.name);
      throw error;
    }
    return datasetAgain(sql, caller, id);
  },

  async remove(caller, id) {
    await access.dataset(caller, id, 'Write', 'write');
    await sql.tx(async (tx) => {
      const [row] = await tx.query<{ name: string; repositoryId: number }>(
        'DELETE FROM datasets WHERE id = $1 RETURNING name, repository_id AS "repositoryId"',
        [id],
      );
      if (row === undefined) return;
      const { name, repositoryId } = row;
      await recordAudit(tx, {
        action: 'dataset.delete',
        target: { kind: 'dataset', id, name },
        details: { repositoryId },
      });
    });
  },
});
