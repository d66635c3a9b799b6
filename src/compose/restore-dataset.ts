import { createDatasetRestore } from '../backup/restore-dataset.js';
import { nameTaken } from '../catalog/datasets.js';
import { admitRestoredDataset } from '../catalog/restored-dataset.js';
import { createHomeTurns, tablePlace, withAllShards } from '../rows/index.js';
import { servedBy } from '../storage/clickhouse/client.js';
import { recordAudit } from '../storage/postgres/audit.js';
import { withCatalogSession } from '../storage/postgres/catalog-copy.js';
import { appliedMigrations, readSchema } from '../storage/postgres/schema.js';
import { requireRetained } from '../versions/version-removal.js';
import { type BackupParts, openRows } from './backup.js';
import { nothingRestored } from './restore.js';

/** Connects to a running product. */
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
    admit: admitRestoredDataset,
    nameTaken,
    async published(tx, { dataset, backup, repository }, wanted) {
      await requireRetained(tx, dataset);
      await recordAudit(tx, {
        action: 'command.run',
        target: { kind: 'command', name: 'restore' },
        details: { dataset, repository, backup, from: { dataset: wanted.dataset, version: wanted.version } },
      });
    },
  });
  return { run: (wanted) => withAllShards(servers, nothingRestored, () => restore.run(wanted)) };
};
