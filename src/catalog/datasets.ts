import { type AppError, conflict, forbidden, notFound } from '../lib/errors.js';
import type { Instant } from '../lib/instant.js';
import type { Caller } from '../model/permission.js';
import { type HomeTurns, insertStore } from '../rows/index.js';
import { recordAudit } from '../storage/postgres/audit.js';
import {
  type DatasetText,
  deleteDataset,
  describeDataset,
  insertDataset,
} from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';
import { versionAt } from '../storage/postgres/version-at.js';
import type { Access } from './access.js';
import {
  createReadRecord,
  type Dataset,
  type DatasetFilter,
  type DatasetSummary,
  listDatasets,
  readDataset,
} from './dataset-list.js';
import { requireName } from './names.js';
import { rowLimits, tooMany } from './row-limits.js';
import { brokenUnique } from './sql-state.js';

export interface Datasets {
  list(caller: Caller, filter: DatasetFilter): AsyncIterable<readonly DatasetSummary[]>;
  /** @throws AppError 401, 403, 404. */
  read(caller: Caller | undefined, id: number, asOf?: Instant): Promise<Dataset>;
  /** @throws AppError 403 without Write on the repository or if there is no such repository, 409 for a taken name. */
  create(caller: Caller, repositoryId: number, text: DatasetText): Promise<DatasetSummary>;
  /** Replaces name, description and source. @throws AppError 403, 404, 409. */
  update(caller: Caller, id: number, text: DatasetText): Promise<Dataset>;
  /** Deletes it; its rows and files are deleted in the background. @throws AppError 403, 404. */
  remove(caller: Caller, id: number): Promise<void>;
}

export const nameTaken = (name: string): AppError =>
  conflict('name_taken', `The repository already has a dataset ${name}.`);

/**
 * Locks a repository against deletion until the transaction ends, before a dataset is added to it.
 * @throws AppError 403 for a deleted repository, 409 for a full one.
 */
export const holdRepository = async (tx: Sql, repositoryId: number): Promise<void> => {
  const [row] = await tx.query('SELECT 1 FROM repositories WHERE id = $1 FOR KEY SHARE', [repositoryId]);
  if (row === undefined) throw forbidden('no_permission', 'You have no permission on this repository.');
  const [kept] = await tx.query<{ datasets: number }>(
    'SELECT count(*) AS datasets FROM datasets WHERE repository_id = $1',
    [repositoryId],
  );
  if ((kept?.datasets ?? 0) >= rowLimits.datasets) throw tooMany('datasets', 'A repository');
};

/** Reads a dataset that the caller may read. @throws AppError 404 if it was deleted meanwhile. */
export const rereadDataset = async (
  sql: Sql,
  caller: Caller | undefined,
  id: number,
  /** Metadata and columns as of this version. */
  versionId?: number,
): Promise<Dataset> => {
  const dataset = await readDataset(sql, caller, id, versionId);
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

interface DatasetsOptions {
  readonly sql: Sql;
  readonly access: Access;
  /** Chooses the home shards of new datasets. */
  readonly homeTurns: HomeTurns | undefined;
}

export const createDatasets = ({ sql, access, homeTurns }: DatasetsOptions): Datasets => {
  const readRecord = createReadRecord(sql);
  return {
    list: (caller, filter) => listDatasets(sql, caller, filter),

    async read(caller, id, asOf) {
      const { level } = await access.dataset(caller, id, 'Read', 'read');
      const dataset =
        asOf === undefined
          ? await readRecord(id, level)
          : await readDataset(sql, caller, id, await versionAt(sql, id, asOf));
      if (dataset === undefined) throw notFound('dataset_not_found', `There is no dataset ${id}.`);
      return dataset;
    },

    async create(caller, repositoryId, text) {
      await access.repository(caller, repositoryId, 'Write', 'write', 'destination');
      requireName(text.name);
      const turns = await homeTurns?.();
      return sql.tx(async (tx) => {
        await holdRepository(tx, repositoryId);
        const { accountId } = caller;
        const id = await insertDataset(tx, {
          ...text,
          repositoryId,
          storeId: await insertStore(tx, turns),
          accountId,
        });
        if (id === undefined) throw nameTaken(text.name);
        return summaryOf(await rereadDataset(tx, caller, id));
      });
    },

    async update(caller, id, text) {
      await access.dataset(caller, id, 'Write', 'write');
      requireName(text.name);
      try {
        await describeDataset(sql, id, text);
      } catch (error) {
        if (brokenUnique(error) === 'datasets_name') throw nameTaken(text.name);
        throw error;
      }
      return rereadDataset(sql, caller, id);
    },

    async remove(caller, id) {
      await access.dataset(caller, id, 'Write', 'write');
      await sql.tx(async (tx) => {
        const deleted = await deleteDataset(tx, id);
        if (deleted === undefined) return;
        const { name, repositoryId } = deleted;
        await recordAudit(tx, {
          action: 'dataset.delete',
          target: { kind: 'dataset', id, name },
          details: { repositoryId },
        });
      });
    },
  };
};
