import { notFound } from '../lib/errors.js';
import type { Caller } from '../model/permission.js';
import { requireQuota } from '../model/plan.js';
import { addVersion, shareContent } from '../rows/index.js';
import { copySegmentsSql, likeVersionSql } from '../rows/sql.js';
import { holdAccount } from '../storage/postgres/accounts.js';
import { cloneColumnsSql } from '../storage/postgres/columns.js';
import { holdDataset, insertDataset } from '../storage/postgres/datasets.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { Access } from './access.js';
import type { Dataset } from './dataset-list.js';
import { holdRepository, nameTaken, rereadDataset } from './datasets.js';
import { requireName } from './names.js';
import { planOf } from './plans.js';
import { type Quotas, requireStorage } from './quotas.js';
import { bytesOfClone } from './stored-bytes.js';

export interface Clones {
  /**
   * Creates a dataset with the same columns and rows in another repository (or the same, with another name). The clone shares the segments
   * of the source's current version: no row is copied, and later changes of either do not affect the other.
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
  uploadCount: number;
  name: string;
  description: string | null;
  sourceName: string | null;
  sourceUrl: string | null;
  versionId: number | null;
  columnCount: number | null;
  rowCount: number | null;
}

const sourceSql = `
  SELECT d.store_id AS "storeId", d.upload_count AS "uploadCount", d.name, d.description, d.source_name AS "sourceName",
    d.source_url AS "sourceUrl", v.id AS "versionId", jsonb_array_length(l.columns) AS "columnCount",
    v.row_count AS "rowCount"
  FROM datasets d LEFT JOIN versions v ON v.id = d.current_version_id
    LEFT JOIN column_lists l ON l.id = v.column_list_id
  WHERE d.id = $1`;

/**
 * Locks the source, so that it keeps its current version until the transaction ends. Locks first and then reads: a statement that joins and
 * waits for the lock sees the dataset as it is then, and everything else as it was before the wait.
 */
const holdSource = async (tx: Sql, sourceId: number): Promise<SourceRow> => {
  await holdDataset(tx, sourceId);
  const [source] = await tx.query<SourceRow>(sourceSql, [sourceId]);
  if (source === undefined) throw notFound('dataset_not_found', `There is no dataset ${sourceId}.`);
  return source;
};

/** Creates a version with the segments of the source's version. The columns are not transferred to this process. */
const cloneVersion = async (
  tx: Sql,
  cloneId: number,
  source: { readonly datasetId: number; readonly version: number },
): Promise<void> => {
  const statement = {
    list: cloneColumnsSql,
    row: likeVersionSql('clone'),
    also: [`listed AS (${copySegmentsSql(':datasetId', { dataset: ':source', version: ':like::bigint' })})`],
  };
  const version = await addVersion(tx, statement, {
    datasetId: cloneId,
    like: source.version,
    source: source.datasetId,
  });
  if (version !== undefined) await shareContent(tx, version.id, source.version);
};

const requireRoom = async (tx: Sql, ownerId: number, sourceId: number, source: SourceRow): Promise<void> => {
  await holdAccount(tx, ownerId);
  const plan = await planOf(tx, ownerId);
  requireQuota('datasetRows', plan.maxDatasetRows, source.rowCount ?? 0);
  requireQuota('columns', plan.maxColumns, source.columnCount ?? 0);
  await requireStorage(tx, ownerId, await bytesOfClone(tx, ownerId, sourceId));
};

interface ClonesOptions {
  readonly sql: Sql;
  readonly access: Access;
  readonly quotas: Quotas;
}

export const createClones = ({ sql, access, quotas }: ClonesOptions): Clones => ({
  async create(caller, sourceId, { repositoryId, name }) {
    const readable = await access.dataset(caller, sourceId, 'Clone', 'read');
    const target = await access.repository(caller, repositoryId, 'Write', 'write', 'destination');
    // Otherwise a clone would bypass the right to download.
    await quotas.requireDownload(caller, readable);
    if (name !== undefined) requireName(name);
    const cloneId = await sql.tx(async (tx) => {
      // Locks the repository before the dataset, in the same order as the deletion of a repository.
      await holdRepository(tx, repositoryId);
      const source = await holdSource(tx, sourceId);
      await requireRoom(tx, target.ownerId, sourceId, source);
      const { storeId, uploadCount, description, sourceName, sourceUrl } = source;
      const text = { name: name ?? source.name, description, sourceName, sourceUrl };
      const place = { repositoryId, storeId, accountId: caller.accountId, uploadCount };
      const id = await insertDataset(tx, { ...text, ...place });
      if (id === undefined) throw nameTaken(text.name);
      if (source.versionId !== null)
        await cloneVersion(tx, id, { datasetId: sourceId, version: source.versionId });
      return id;
    });
    return rereadDataset(sql, caller, cloneId);
  },
});
