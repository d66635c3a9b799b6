import { createRestore } from '../backup/restore.js';
import { releaseRestoredRefreshes } from '../gateway/datasets/series-dataset-records.js';
import { createRestoreTarget, createWrite, settleRestoredCompactions, withAllShards } from '../rows/index.js';
import { recordAudit } from '../storage/postgres/audit.js';
import { catalogTables, loadCatalog } from '../storage/postgres/catalog-copy.js';
import { holdSegments } from '../storage/postgres/held-segments.js';
import { lastBackupSetting } from '../storage/postgres/last-backup.js';
import { migrate } from '../storage/postgres/migrate.js';
import { appliedMigrations, readSchema, refuseOther } from '../storage/postgres/schema.js';
import { setSetting } from '../storage/postgres/settings.js';
import type { Sql } from '../storage/postgres/sql.js';
import { failRestored } from '../uploads/lifecycle/restored-uploads.js';
import { createVersionReads } from '../versions/verify/version-reads.js';
import { type BackupParts, openRows } from './backup.js';

/** Work that was in progress at the moment of the backup has lost what it had in Kafka and in tables of its own. */
const settle = async (sql: Sql, installation: string): Promise<number> => {
  const failedUploads = await failRestored(sql);
  await settleRestoredCompactions(sql);
  await releaseRestoredRefreshes(sql);
  // The catalog that it was copied from may go on with another ClickHouse.
  await setSetting(sql, 'installation', installation);
  // Backups of this installation are still to be made.
  await setSetting(sql, lastBackupSetting, undefined);
  await recordAudit(sql, { action: 'command.run', target: { kind: 'command', name: 'restore' } });
  return failedUploads;
};

export const nothingRestored = 'Nothing was restored.';

/** Connects to a product without rows. */
export const openRestore = async (parts: BackupParts): Promise<ReturnType<typeof createRestore>> => {
  const { config, log, sql, databaseUrl } = parts;
  const { servers, folder, archive, tables } = await openRows(parts, { bind: false });
  const schema = readSchema();
  const restore = createRestore({
    folder,
    archive,
    hold: () => holdSegments(databaseUrl),
    baseline: schema.baseline,
    knownMigrations: schema.names,
    sql,
    async migrate(most) {
      const left = most - (await appliedMigrations(sql)).length;
      if (left > 0) await migrate({ databaseUrl, log, most: left });
    },
    refuseOther: () => refuseOther(sql, schema),
    load: (work) => loadCatalog(databaseUrl, work),
    tables: catalogTables,
    target: createRestoreTarget({ sql, clickhouse: servers, spreadMinBytes: config.spreadMinBytes, log }),
    mendTables: createVersionReads({ sql, clickhouse: servers, write: createWrite(servers, tables) }).mendAll,
    settle,
    log,
  });
  return {
    check: restore.check,
    run: (id) => withAllShards(servers, nothingRestored, () => restore.run(id)),
  };
};
