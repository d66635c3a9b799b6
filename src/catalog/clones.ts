import { AppError, notFound } from '../lib/errors.js';
import type { Caller } from '../model/permission.js';
import { requireQuota } from '../model/plan.js';
import { keepList } from '../storage/postgres/column-lists.js';
import { copySegments } from '../storage/postgres/segment-ranges.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Access } from './access.js';
import type { Dataset } from './dataset-list.js';
import { datasetAgain, holdRepository, insertDataset } from './datasets.js';
import { requireName } from './names.js';
import { planOf } from './plans.js';
import { type Quotas, requireStorage } from './quotas.js';
import { bytesOfClone } from './stored-bytes.js';

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
  columnCount: number | null;
  rowCount: number | null;
}

const sourceSql = `
  SELECT d.store_id AS "storeId", d.name, d.description, d.source_name AS "sourceName",
    d.source_url AS "sourceUrl", v.id AS "versionId", jsonb_array_length(l.columns) AS "columnCount",
    v.row_count AS "rowCount"
  FROM datasets d LEFT JOIN versions v ON v.id = d.current_version_id
    LEFT JOIN column_lists l ON l.id = v.column_list_id
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

/**
 * Columns of the clone: ids of its own, values where the source has them, names and roles as of today. They never leave
 * PostgreSQL. `$1` is the clone, `$2` the version of the source; gives the id of the clone's list.
 */
const cloneColumnsSql = `
  WITH stored AS MATERIALIZED (
    SELECT c.item, c.position, (c.item ->> 'id')::bigint AS id
    FROM versions v JOIN column_lists l ON l.id = v.column_list_id,
      jsonb_array_elements(l.columns) WITH ORDINALITY AS c (item, position)
    WHERE v.id = $2
  ), wanted AS MATERIALIZED (
    SELECT s.item, s.position, coalesce(c.name, s.item ->> 'name') AS name, c.description, c.is_entity
    FROM stored s LEFT JOIN columns c ON c.id = s.id
  ), inserted AS (
    INSERT INTO columns (dataset_id, name, description, is_entity, storage_id)
    SELECT $1, name, description, is_entity, (item ->> 'storageId')::bigint FROM wanted ORDER BY position
    RETURNING id, name
  ), ${keepList(
    '$1',
    `SELECT coalesce(jsonb_agg(w.item || jsonb_build_object('id', i.id, 'name', w.name, 'description', w.description,
         'isEntity', coalesce(w.is_entity, (w.item ->> 'isEntity')::boolean)) ORDER BY w.position), '[]') AS columns
     FROM wanted w JOIN inserted i ON i.name = w.name`,
  )}
  SELECT id FROM list`;

const cloneVersion = async (
  tx: Sql,
  cloneId: number,
  source: { readonly datasetId: number; readonly version: number },
): Promise<void> => {
  const [list] = await tx.query<{ id: number }>(cloneColumnsSql, [cloneId, source.version]);
  const [version] = await tx.query<{ id: number }>(
    `INSERT INTO versions
       (dataset_id, mode, column_list_id, row_count, byte_size, min_date, max_date, frequency)
     SELECT $1, 'clone', $3, row_count, byte_size, min_date, max_date, frequency FROM versions WHERE id = $2
     RETURNING id`,
    [cloneId, source.version, list?.id],
  );
  if (version === undefined) throw new AppError('unexpected', 'no_row', 'a version was not returned');
  await copySegments(tx, { datasetId: cloneId, version: version.id }, source);
  await tx.query('UPDATE datasets SET current_version_id = $2 WHERE id = $1', [cloneId, version.id]);
};

const requireRoom = async (tx: Sql, ownerId: number, sourceId: number, source: SourceRow): Promise<void> => {
  await tx.query('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [ownerId]);
  const plan = await planOf(tx, ownerId);
  requireQuota('datasetRows', plan.maxDatasetRows, source.rowCount ?? 0);
  requireQuota('columns', plan.maxColumns, source.columnCount ?? 0);
  await requireStorage(tx, ownerId, await bytesOfClone(tx, ownerId, sourceId));
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
    const cloneId = await sql.tx(async (tx) => {
      // The repository before the dataset, as a repository that is deleted takes them.
      await holdRepository(tx, repositoryId);
      const source = await holdSource(tx, sourceId);
      await requireRoom(tx, target.ownerId, sourceId, source);
      const { storeId, description, sourceName, sourceUrl } = source;
      const text = { name: name ?? source.name, description, sourceName, sourceUrl };
      const id = await insertDataset(tx, { ...text, repositoryId, storeId, accountId: caller.accountId });
      if (source.versionId !== null)
        await cloneVersion(tx, id, { datasetId: sourceId, version: source.versionId });
      return id;
    });
    return datasetAgain(sql, caller, cloneId);
  },
});
