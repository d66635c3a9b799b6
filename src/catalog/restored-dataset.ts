import { notFound } from '../lib/errors.js';
import { requireQuota } from '../model/plan.js';
import { holdAccount } from '../storage/postgres/accounts.js';
import type { Sql } from '../storage/postgres/sql.js';
import { holdRepository } from './datasets.js';
import { requireName } from './names.js';
import { planOf } from './plans.js';
import { requireStorage } from './quotas.js';

interface RestoredSize {
  readonly rows: number;
  readonly columns: number;
  readonly bytes: number;
}

/**
 * Checks that a dataset may be restored into a repository, and locks the repository until the transaction ends. Returns the owner of the
 * repository.
 * @throws AppError 404 if there is no such repository; 400 for an invalid name; `quota_exceeded`.
 */
export const admitRestoredDataset = async (
  tx: Sql,
  repositoryId: number,
  name: string,
  size: RestoredSize,
): Promise<number> => {
  requireName(name);
  const [repository] = await tx.query<{ ownerId: number }>(
    'SELECT created_by AS "ownerId" FROM repositories WHERE id = $1',
    [repositoryId],
  );
  if (repository === undefined)
    throw notFound('repository_not_found', `There is no repository ${repositoryId}.`);
  await holdRepository(tx, repositoryId);
  const { ownerId } = repository;
  await holdAccount(tx, ownerId);
  const plan = await planOf(tx, ownerId);
  requireQuota('datasetRows', plan.maxDatasetRows, size.rows);
  requireQuota('columns', plan.maxColumns, size.columns);
  await requireStorage(tx, ownerId, size.bytes);
  return ownerId;
};
