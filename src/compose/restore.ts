import { createRestore } from '../backup/restore.js';
import { settleRestored } from '../operations/settle-restored.js';
import { createRestoreTarget, createWrite, withAllShards } from '../rows/index.js';
import { catalogTables, loadCatalog } from '../storage/postgres/catalog-copy.js';
import { holdSegments } from '../storage/postgres/held-segments.js';
import { migrate } from '../storage/postgres/migrate.js';
import { appliedMigrations, readSchema, refuseOther } from '../storage/postgres/schema.js';
import { createVersionReads } from '../versions/verify/version-reads.js';
import { type BackupParts, openRows } from './backup.js';

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
    repairTables: createVersionReads({ sql, clickhouse: servers, write: createWrite(servers, tables) })
      .repairAll,
    settle: settleRestored,
    log,
  });
  return {
    check: restore.check,
    run: (id) => withAllShards(servers, nothingRestored, () => restore.run(id)),
  };
};
