import { AppError, notFound } from '../lib/errors.js';
import type { StoredColumn } from '../model/column.js';
import type { Caller } from '../model/permission.js';
import { requireQuota } from '../model/plan.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Access } from './access.js';
import type { Dataset } from './dataset-list.js';
import { datasetAgain, holdRepository, insertDataset } from './datasets.js';
import { requireName } from './names.js';
import { planOf } from './plans.js';
import { type Quotas, requireStorage } from './quotas.js';

export interface Clones {
  /**
   * Makes a dataset of the same columns and rows in another repository (or the same, under another name). The
   * clone names the segments of the source's current version: no row is copied, and whatever happens to
   * either later, the other keeps its own version.
   * @throws AppError 404, 403 without Clone on the source or Write on the target, 409, 402.
   */
  create(
    caller: Caller,
    sourceId: number,
    target: { repositoryId: number; name?: string | undefined },
  ): Promise<Dataset>;
}

interface SourceRow {
  storeId: number;
  name: string;
  description: string | null;
  sourceName: string | null;
  sourceUrl: string | null;
  versionId: number | null;
  columns: StoredColumn[] | null;
  rowCount: number | null;
  byteSize: number | null;
}

const sourceSql = `
  SELECT d.store_id AS "storeId", d.name, d.description, d.source_name AS "sourceName",
    d.source_url AS "sourceUrl", v.id AS "versionId", v.columns, v.row_count AS "rowCount",
    v.byte_size AS "byteSize"
  FROM datasets d LEFT JOIN versions v ON v.id = d.current_version_id
  WHERE d.id = $1`;

/**
 * The source with its current version, which it keeps until the transaction ends. Lock first, then read: a statement
 * that joins and waits for the lock sees the dataset as it is then, and everything else as it was before the wait.
 */
const holdSource = async (tx: Sql, sourceId: number): Promise<SourceRow> => {
  await tx.query('SELECT 1 FROM datasets WHERE id = $1 FOR SHARE', [sourceId]);
  const [source] = await tx.query<SourceRow>(sourceSql, [sourceId]);
  if (source === undefined) throw notFound('dataset_not_found', `There is no dataset ${sourceId}.`);
  return source;
};

interface RegistryRow {
  id: number;
  name: string;
  description: string | null;
  isEntity: boolean | null;
}

/** Columns of the clone: ids of its own, values where the source has them, names and roles as of today. */
const cloneColumns = async (
  tx: Sql,
  cloneId: number,
  stored: readonly StoredColumn[],
): Promise<StoredColumn[]> => {
  const registry = await tx.query<RegistryRow>(
    'SELECT id, name, description, is_entity AS "isEntity" FROM columns WHERE id = ANY ($1)',
    [stored.map(({ id }) => id)],
  );
  const today = new Map(registry.map((row) => [row.id, row]));
  const wanted = stored.map((column) => {
    const now = today.get(column.id);
    return {
      ...column,
      name: now?.name ?? column.name,
      description: now?.description ?? null,
      isEntity: now?.isEntity ?? column.isEntity,
      byHand: now?.isEntity ?? null,
    };
  });
  const inserted = await tx.query<{ id: number; name: string }>(
    `INSERT INTO columns (dataset_id, name, description, is_entity, storage_id)
     SELECT $1, c.name, c.description, c.is_entity, c.storage_id
     FROM unnest($2::text[], $3::text[], $4::boolean[], $5::bigint[])
       WITH ORDINALITY AS c (name, description, is_entity, storage_id, position)
     ORDER BY c.position RETURNING id, name`,
    [
      cloneId,
      wanted.map(({ name }) => name),
      wanted.map(({ description }) => description),
      wanted.map(({ byHand }) => byHand),
      wanted.map(({ storageId }) => storageId),
    ],
  );
  const ids = new Map(inserted.map(({ id, name }) => [name, id]));
  return wanted.map(({ byHand: _byHand, ...column }) => {
    const id = ids.get(column.name);
    if (id === undefined) throw new AppError('unexpected', 'no_row', 'a column was not returned');
    return { ...column, id };
  });
};

const cloneVersion = async (tx: Sql, cloneId: number, sourceVersionId: number, columns: StoredColumn[]) => {
  const [version] = await tx.query<{ id: number }>(
    `INSERT INTO versions (dataset_id, mode, columns, row_count, byte_size, min_date, max_date, frequency)
     SELECT $1, 'clone', $3, row_count, byte_size, min_date, max_date, frequency FROM versions WHERE id = $2
     RETURNING id`,
    [cloneId, sourceVersionId, JSON.stringify(columns)],
  );
  if (version === undefined) throw new AppError('unexpected', 'no_row', 'a version was not returned');
  await tx.query(
    `INSERT INTO version_segments (version_id, segment_id, row_limit)
     SELECT $1, segment_id, row_limit FROM version_segments WHERE version_id = $2`,
    [version.id, sourceVersionId],
  );
  await tx.query('UPDATE datasets SET current_version_id = $2 WHERE id = $1', [cloneId, version.id]);
};

const requireRoom = async (tx: Sql, ownerId: number, source: SourceRow): Promise<void> => {
  await tx.query('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [ownerId]);
  const plan = await planOf(tx, ownerId);
  requireQuota('datasetRows', plan.maxDatasetRows, source.rowCount ?? 0);
  requireQuota('columns', plan.maxColumns, source.columns?.length ?? 0);
  await requireStorage(tx, ownerId, source.byteSize ?? 0);
};

export interface ClonesOptions {
  readonly sql: Sql;
  readonly access: Access;
  readonly quotas: Quotas;
}

export const createClones = ({ sql, access, quotas }: ClonesOptions): Clones => ({
  async create(caller, sourceId, { repositoryId, name }) {
    const readable = await access.dataset(caller, sourceId, 'Clone', 'read');
    const target = await access.repository(caller, repositoryId, 'Write', 'write', 'destination');
    // Otherwise a clone would be a way around the right to download.
    await quotas.requireDownload(caller, readable);
    if (name !== undefined) requireName(name);
    return sql.tx(async (tx) => {
      // The repository before the dataset, as a repository that is deleted takes them.
      await holdRepository(tx, repositoryId);
      const source = await holdSource(tx, sourceId);
      await requireRoom(tx, target.ownerId, source);
      const { storeId, description, sourceName, sourceUrl } = source;
      const text = { name: name ?? source.name, description, sourceName, sourceUrl };
      const id = await insertDataset(tx, { ...text, repositoryId, storeId, accountId: caller.accountId });
      if (source.versionId !== null && source.columns !== null)
        await cloneVersion(tx, id, source.versionId, await cloneColumns(tx, id, source.columns));
      return datasetAgain(tx, caller, id);
    });
  },
});
