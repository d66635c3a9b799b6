import { createBackup } from '../backup/backup.js';
import { type BackupFolder, createBackupFolder } from '../backup/backup-folder.js';
import { createSegmentArchive, type SegmentArchive } from '../backup/segment-archive.js';
import { countFiles } from '../exports/measures.js';
import { createRowTables, createSegmentFiles, type RowTables, withAllShards } from '../rows/index.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import { withCatalogSnapshot } from '../storage/postgres/catalog-copy.js';
import { holdSegments } from '../storage/postgres/held-segments.js';
import { recordBackup, recordBackupBegun } from '../storage/postgres/last-backup.js';
import { appliedMigrations, readSchema, requireSchema } from '../storage/postgres/schema.js';
import { openCommandReader, openServers } from './clickhouse-servers.js';
import { openExportStorage, openStorageAt } from './export-storage.js';
import type { CommandParts } from './parts.js';

/** Dependencies of the backup commands; `config` has the addresses of all components. */
export interface BackupParts extends CommandParts {
  /** Address of PostgreSQL. */
  readonly databaseUrl: string;
  /** Folder or `s3://bucket/prefix`. */
  readonly place: string;
}

interface Rows {
  readonly servers: ClickHouseServers;
  readonly folder: BackupFolder;
  readonly archive: SegmentArchive;
  readonly tables: RowTables;
}

/**
 * Connects to the rows in ClickHouse and to the place of backups.
 * @param bind False: ClickHouse is not bound to the catalog yet.
 */
export const openRows = async (
  parts: Omit<BackupParts, 'databaseUrl'>,
  { bind = true }: { readonly bind?: boolean } = {},
): Promise<Rows> => {
  const { config, scope, place } = parts;
  const servers = await openServers(parts, { maxConnections: 64, bind });
  const reader = openCommandReader(parts, servers);
  const folder = createBackupFolder({
    ...(await openStorageAt(config, place, scope)),
    keys: config.backupKey,
  });
  const tables = createRowTables(servers);
  const files = createSegmentFiles({ clickhouse: servers, reader, tables });
  const archive = createSegmentArchive({ folder, files });
  return { servers, folder, archive, tables };
};

export const openBackup = async (
  parts: BackupParts,
  product: string,
): Promise<ReturnType<typeof createBackup>> => {
  const { config, log, scope, sql, databaseUrl } = parts;
  await requireSchema(sql);
  await recordBackupBegun(sql);
  const { servers, folder, archive } = await openRows(parts);
  const { storage: exported } = await openExportStorage(config, scope);
  const backup = createBackup({
    folder,
    archive,
    hold: () => holdSegments(databaseUrl),
    snapshot: (work) => withCatalogSnapshot(databaseUrl, work),
    baseline: readSchema().baseline,
    migrations: (snapshot) => appliedMigrations(snapshot.sql),
    exports: async () => ({
      at: config.exportsUrl ?? 'DATA_DIR/exports',
      ...(await countFiles(exported)),
    }),
    product,
    log,
  });
  return {
    async run(options) {
      const report = await withAllShards(servers, 'No backup was made.', () => backup.run(options));
      await recordBackup(sql, new Date(`${report.takenAt}Z`));
      return report;
    },
  };
};
