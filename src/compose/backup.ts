import { randomUUID } from 'node:crypto';
import { createBackup } from '../backup/backup.js';
import { type BackupFolder, createBackupFolder } from '../backup/backup-folder.js';
import { createRestore } from '../backup/restore.js';
import { createSegmentArchive, type SegmentArchive } from '../backup/segment-archive.js';
import type { Config } from '../config.js';
import { releaseRestoredRefreshes } from '../gateway/datasets/series-dataset-records.js';
import { failRestored } from '../ingest/lifecycle/restored-uploads.js';
import { restoreHashes } from '../ingest/lifecycle/segment-records.js';
import { settleRestoredCompactions } from '../ingest/maintenance/compaction-records.js';
import { AppError, conflict } from '../lib/errors.js';
import { type ClickHouse, createClickHouse, ensureDatabase } from '../storage/clickhouse/client.js';
import { createReader } from '../storage/clickhouse/reader.js';
import { createSegmentFiles } from '../storage/clickhouse/segment-files.js';
import { createSegmentHashes } from '../storage/clickhouse/segment-hashes.js';
import { createStoreTables } from '../storage/clickhouse/tables.js';
import { recordAudit } from '../storage/postgres/audit.js';
import { catalogTables, loadCatalog, withCatalogSnapshot } from '../storage/postgres/catalog-copy.js';
import { holdSegments } from '../storage/postgres/held-segments.js';
import { appliedMigrations, knownMigrations, migrate } from '../storage/postgres/migrate.js';
import { setSetting } from '../storage/postgres/settings.js';
import type { Sql } from '../storage/postgres/sql.js';
import { openExportStorage, openStorageAt } from './export-storage.js';
import { bindInstallation } from './installation.js';
import type { OperatorParts } from './operator.js';
import { required } from './required.js';

/** What a command of backups stands on; `config` has the addresses of all components. */
export interface BackupParts extends OperatorParts {
  /** Address of PostgreSQL. */
  readonly databaseUrl: string;
  /** Folder or `s3://bucket/prefix`. */
  readonly place: string;
}

const secondsPerDay = 86_400;

interface Rows {
  readonly clickhouse: ClickHouse;
  readonly folder: BackupFolder;
  readonly archive: SegmentArchive;
}

/** Rows of ClickHouse, and the place of backups. */
export const openRows = async ({
  config,
  log,
  scope,
  place,
}: Omit<BackupParts, 'databaseUrl'>): Promise<Rows> => {
  const url = required(config.clickhouseUrl, 'CLICKHOUSE_URL');
  if (config.clickhouseCluster !== undefined)
    throw new AppError(
      'invalid',
      'backup_of_cluster',
      'backup and restore know one ClickHouse server, not CLICKHOUSE_CLUSTER: back up each server with BACKUP of ClickHouse, and PostgreSQL with its own tools.',
    );
  const clickhouse = createClickHouse({
    url,
    database: config.clickhouseDatabase,
    maxConnections: 64,
    silenceMs: config.componentSilenceMs,
  });
  await scope.defer('ClickHouse connections', clickhouse.close);
  const reader = createReader({
    servers: clickhouse,
    maxWaitSeconds: secondsPerDay,
    maxMemoryBytes: config.queryMaxMemoryBytes,
    log,
  });
  const folder = createBackupFolder(await openStorageAt(config, place, scope));
  const archive = createSegmentArchive({
    folder,
    files: createSegmentFiles(clickhouse, reader),
    hashes: createSegmentHashes(clickhouse),
    tables: createStoreTables(clickhouse),
  });
  return { clickhouse, folder, archive };
};

const describeExports = async (config: Config, scope: BackupParts['scope']) => {
  const { storage } = await openExportStorage(config, scope);
  let files = 0;
  let bytes = 0;
  for await (const { key, size } of storage.list()) {
    if (key.startsWith('spool/')) continue;
    files += 1;
    bytes += size;
  }
  return { at: config.exportsUrl ?? 'DATA_DIR/exports', files, bytes };
};

export const openBackup = async (
  parts: BackupParts,
  product: string,
): Promise<ReturnType<typeof createBackup>> => {
  const { config, log, scope, sql, databaseUrl } = parts;
  const { clickhouse, folder, archive } = await openRows(parts);
  await bindInstallation(sql, clickhouse);
  return createBackup({
    folder,
    archive,
    hold: () => holdSegments(databaseUrl),
    snapshot: (work) => withCatalogSnapshot(databaseUrl, work),
    migrations: (snapshot) => appliedMigrations(snapshot.sql),
    exports: () => describeExports(config, scope),
    product,
    log,
  });
};

const notEmpty = (what: string) =>
  conflict('not_empty', `A backup is restored into an empty product only: ${what}. Nothing was changed.`);

const requireEmptyCatalog = async (sql: Sql): Promise<void> => {
  const [schema] = await sql.query<{ there: boolean }>(`SELECT to_regclass('accounts') IS NOT NULL AS there`);
  if (schema?.there !== true) return;
  const [some] = await sql.query<{ accounts: boolean; stores: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM accounts) AS accounts, EXISTS (SELECT 1 FROM stores) AS stores',
  );
  if (some?.accounts === true || some?.stores === true) throw notEmpty('PostgreSQL has accounts');
};

const rowTables = `SELECT name FROM system.tables WHERE database = {database:String}
  AND match(name, '^([suax][0-9]+|pool_(narrow|medium|wide)|installation)$')`;

const requireNoRows = async (clickhouse: ClickHouse): Promise<void> => {
  const [some] = await clickhouse.rows<{ table: string }>(
    `SELECT table FROM system.parts WHERE database = {database:String} AND active AND rows > 0
       AND table IN (${rowTables}) AND table <> 'installation' LIMIT 1`,
    { params: { database: clickhouse.database } },
  );
  if (some !== undefined)
    throw notEmpty(`the ClickHouse database ${clickhouse.database} has rows (${some.table})`);
};

const clearRows = async (clickhouse: ClickHouse): Promise<void> => {
  const tables = await clickhouse.rows<{ name: string }>(rowTables, {
    params: { database: clickhouse.database },
  });
  for (const { name } of tables)
    await clickhouse.command(`DROP TABLE IF EXISTS ${clickhouse.database}.${name} SYNC`, {
      settings: { max_table_size_to_drop: '0' },
    });
};

/** Work that was under way at the moment of the backup has lost what it had in Kafka and in tables of its own. */
const settle = async (sql: Sql): Promise<number> => {
  const failedUploads = await failRestored(sql);
  await settleRestoredCompactions(sql);
  await releaseRestoredRefreshes(sql);
  // The catalog that it was copied from may live on beside another ClickHouse.
  await setSetting(sql, 'installation', randomUUID());
  await recordAudit(sql, { action: 'command.run', target: { kind: 'command', name: 'restore' } });
  return failedUploads;
};

/** Connects to a product without rows. */
export const openRestore = async (parts: BackupParts): Promise<ReturnType<typeof createRestore>> => {
  const { log, sql, databaseUrl } = parts;
  const { clickhouse, folder, archive } = await openRows(parts);
  const inStep = async (most: number): Promise<void> => {
    const left = most - (await appliedMigrations(sql)).length;
    if (left > 0) await migrate({ databaseUrl, log, most: left });
  };
  return createRestore({
    folder,
    archive,
    hold: () => holdSegments(databaseUrl),
    knownMigrations: knownMigrations(),
    async migrate(most) {
      await ensureDatabase(clickhouse);
      await inStep(most);
    },
    load: (work) => loadCatalog(databaseUrl, work),
    tables: catalogTables,
    async requireEmpty() {
      await requireEmptyCatalog(sql);
      await requireNoRows(clickhouse);
    },
    async requireEmptyCatalog(tx) {
      await tx.query('LOCK TABLE accounts, stores IN ACCESS EXCLUSIVE MODE');
      await requireEmptyCatalog(tx);
    },
    async clearRows() {
      await clearRows(clickhouse);
    },
    recordHashes: restoreHashes,
    settle,
    log,
  });
};
