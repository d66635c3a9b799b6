import { createDatasetRestore } from '../backup/restore-dataset.js';
import { holdRepository, nameTaken } from '../catalog/datasets.js';
import { requireName } from '../catalog/names.js';
import { planOf } from '../catalog/plans.js';
import { holdOwner, requireStorage } from '../catalog/quotas.js';
import { AppError, notFound } from '../lib/errors.js';
import { requireQuota } from '../model/plan.js';
import { createHomeTurns, type SavedDataset, tablePlace, withAllShards } from '../rows/index.js';
import { servedBy } from '../storage/clickhouse/client.js';
import { recordAudit } from '../storage/postgres/audit.js';
import { withCatalogSession } from '../storage/postgres/catalog-copy.js';
import { appliedMigrations, readSchema } from '../storage/postgres/schema.js';
import type { Sql } from '../storage/postgres/sql.js';
import { dueVersionsSql } from '../versions/version-removal.js';
import { type BackupParts, openRows } from './backup.js';
import { nothingRestored } from './restore.js';

const admit = async (tx: Sql, into: number, name: string, saved: SavedDataset): Promise<number> => {
  requireName(name);
  const [repository] = await tx.query<{ ownerId: number }>(
    'SELECT created_by AS "ownerId" FROM repositories WHERE id = $1',
    [into],
  );
  if (repository === undefined) throw notFound('repository_not_found', `There is no repository ${into}.`);
  await holdRepository(tx, into);
  const { ownerId } = repository;
  await holdOwner(tx, ownerId);
  const plan = await planOf(tx, ownerId);
  requireQuota('datasetRows', plan.maxDatasetRows, saved.rows);
  requireQuota('columns', plan.maxColumns, saved.columns);
  await requireStorage(tx, ownerId, saved.bytes);
  return ownerId;
};

/** Refuses versions that retention would remove at the next sweep. */
const requireKept = async (tx: Sql, dataset: number): Promise<void> => {
  const due = await tx.query(dueVersionsSql, [dataset]);
  if (due.length > 0)
    throw new AppError(
      'quota',
      'quota_exceeded',
      `The plan of the repository's owner would remove ${due.length} of these versions at once, by their number or age: restore one with --version, or change the plan.`,
    );
};

/** Connects to a product that runs. */
export const openDatasetRestore = async (
  parts: BackupParts,
): Promise<ReturnType<typeof createDatasetRestore>> => {
  const { config, sql, databaseUrl } = parts;
  const { servers, folder, archive, tables } = await openRows(parts);
  const homeTurns = createHomeTurns(servers);
  const restore = createDatasetRestore({
    folder,
    archive,
    session: (work) => withCatalogSession(databaseUrl, work),
    baseline: readSchema().baseline,
    migrations: await appliedMigrations(sql),
    homeFor: async ({ versionBytes }) => ({
      turns: await homeTurns(),
      everywhere: servedBy(servers).isCluster && versionBytes >= config.spreadMinBytes,
    }),
    ensureTable: (storeId, shard, columns) => tables.ensure(tablePlace({ storeId, shard }), columns),
    admit,
    nameTaken,
    async published(tx, { dataset, backup, repository }, wanted) {
      await requireKept(tx, dataset);
      await recordAudit(tx, {
        action: 'command.run',
        target: { kind: 'command', name: 'restore' },
        details: { dataset, repository, backup, from: { dataset: wanted.dataset, version: wanted.version } },
      });
    },
  });
  return { run: (wanted) => withAllShards(servers, nothingRestored, () => restore.run(wanted)) };
};
