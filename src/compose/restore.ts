import { damaged } from '../backup/backup-folder.js';
import { createRestore } from '../backup/restore.js';
import { releaseRestoredRefreshes } from '../gateway/datasets/series-dataset-records.js';
import { failRestored } from '../ingest/lifecycle/restored-uploads.js';
import { createVersionReads } from '../ingest/repair/version-reads.js';
import { type AppError, conflict } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import { createDdl, ensureDatabase, runAll } from '../rows/ddl.js';
import { homesFor } from '../rows/homes.js';
import { settleRestoredCompactions } from '../rows/index.js';
import { bindInstallation, bindShard } from '../rows/installation.js';
import { createRestoredStores } from '../rows/restored-stores.js';
import { restoreHashes } from '../rows/segment-records.js';
import { createStoreTables } from '../rows/tables.js';
import {
  type ClickHouseServers,
  type Connection,
  firstShard,
  servedBy,
} from '../storage/clickhouse/client.js';
import type { Engine } from '../storage/clickhouse/engine.js';
import { recordAudit } from '../storage/postgres/audit.js';
import { catalogTables, loadCatalog } from '../storage/postgres/catalog-copy.js';
import { holdSegments } from '../storage/postgres/held-segments.js';
import { lastBackupSetting } from '../storage/postgres/last-backup.js';
import { migrate } from '../storage/postgres/migrate.js';
import { strangeName } from '../storage/postgres/restored-names.js';
import { appliedMigrations, hasTable, readSchema, refuseOther } from '../storage/postgres/schema.js';
import { readSetting, setSetting } from '../storage/postgres/settings.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type BackupParts, openRows } from './backup.js';
import { requireShards, withAllShards } from './shards-there.js';

const notEmpty = (what: string): AppError =>
  conflict('not_empty', `A backup is restored into an empty product only: ${what}. Nothing was changed.`);

const requireEmptyCatalog = async (sql: Sql): Promise<void> => {
  if (!(await hasTable(sql, 'accounts'))) return;
  const [some] = await sql.query<{ accounts: boolean; stores: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM accounts) AS accounts, EXISTS (SELECT 1 FROM stores) AS stores',
  );
  if (some?.accounts === true || some?.stores === true) throw notEmpty('PostgreSQL has accounts');
};

/** The entry, which may be one of the shards, and all shards. */
const allOf = ({ entry, shards }: ClickHouseServers): readonly Connection[] => [
  ...new Set([entry, ...shards.map(({ clickhouse }) => clickhouse)]),
];

/** Tables of rows, those over all shards among them. */
const rowTables = `SELECT name FROM system.tables WHERE database = {database:String}
  AND match(name, '^(d?s[0-9]+|[uax][0-9]+|d?pool_(narrow|medium|wide))$')`;

const tableWithRows = async (clickhouse: Connection): Promise<string | undefined> => {
  const [some] = await clickhouse.rows<{ table: string }>(
    `SELECT table FROM system.parts WHERE database = {database:String} AND active AND rows > 0
       AND table IN (${rowTables}) LIMIT 1`,
    { params: { database: clickhouse.database } },
  );
  return some?.table;
};

/** True where a server is bound to this catalog, which has nothing: its rows are what a restore has left. */
const isBound = async (sql: Sql, clickhouse: Connection): Promise<boolean> => {
  const own = (await hasTable(sql, 'settings')) ? await readSetting(sql, 'installation') : undefined;
  const [table] = await clickhouse.rows(
    `SELECT 1 FROM system.tables WHERE database = {database:String} AND name = 'installation'`,
    { params: { database: clickhouse.database } },
  );
  if (own === undefined || table === undefined) return false;
  const found = await clickhouse.rows<{ id: string }>(
    `SELECT DISTINCT id FROM ${clickhouse.database}.installation`,
  );
  return found.length === 1 && found[0]?.id === own;
};

const requireNoRows = async (sql: Sql, clickhouse: Connection): Promise<void> => {
  const table = await tableWithRows(clickhouse);
  if (table !== undefined && !(await isBound(sql, clickhouse)))
    throw notEmpty(`the ClickHouse database ${clickhouse.database} has rows (${table})`);
};

/** @param notes Further tables. */
const clearRows = async (clickhouse: Connection, engine: Engine, notes: readonly string[]): Promise<void> => {
  const ddl = createDdl(clickhouse.database, engine);
  const tables = await clickhouse.rows<{ name: string }>(rowTables, {
    params: { database: clickhouse.database },
  });
  for (const name of [...tables.map((table) => table.name), ...notes])
    await runAll(clickhouse, ddl.dropTable(name, 'SYNC'));
};

/** Of the servers that answer; the others are bound to the catalog, and the next attempt clears them. */
const clearReached = async (servers: ClickHouseServers, log: Log): Promise<void> => {
  for (const clickhouse of allOf(servers))
    await clearRows(clickhouse, servers.engine, ['installation', 'installation_shard']).catch(
      (error: unknown) => log.error({ err: error }, 'rows of a restore that failed are left'),
    );
};

/** Work that was under way at the moment of the backup has lost what it had in Kafka and in tables of its own. */
const settle = async (sql: Sql, installation: string): Promise<number> => {
  const failedUploads = await failRestored(sql);
  await settleRestoredCompactions(sql);
  await releaseRestoredRefreshes(sql);
  // The catalog that it was copied from may live on beside another ClickHouse.
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
  const { servers, folder, archive } = await openRows(parts, { bind: false });
  const inStep = async (most: number): Promise<void> => {
    const left = most - (await appliedMigrations(sql)).length;
    if (left > 0) await migrate({ databaseUrl, log, most: left });
  };
  const schema = readSchema();
  let installation = '';

  const restore = createRestore({
    folder,
    archive,
    hold: () => holdSegments(databaseUrl),
    baseline: schema.baseline,
    knownMigrations: schema.names,
    async migrate(most) {
      await ensureDatabase(servers.entry, servers.engine);
      await inStep(most);
    },
    load: (work) => loadCatalog(databaseUrl, work),
    tables: catalogTables,
    async requireEmpty() {
      await refuseOther(sql, schema);
      await requireEmptyCatalog(sql);
      for (const clickhouse of allOf(servers)) await requireNoRows(sql, clickhouse);
    },
    async requireEmptyCatalog(tx) {
      await tx.query('LOCK TABLE accounts, stores IN ACCESS EXCLUSIVE MODE');
      await requireEmptyCatalog(tx);
    },
    async requireOwnNames(tx) {
      const strange = await strangeName(tx);
      if (strange !== undefined)
        throw damaged(`${strange} names columns or types that are none of the product`);
    },
    async claim() {
      for (const clickhouse of allOf(servers))
        installation = await bindInstallation(sql, clickhouse, servers.engine);
      for (const clickhouse of allOf(servers))
        await clearRows(clickhouse, servers.engine, ['installation_shard']);
      if (servers.engine.cluster === undefined) return;
      for (const { number, clickhouse } of servers.shards)
        await bindShard(clickhouse, number, servers.engine);
    },
    clearRows: () => clearReached(servers, log),
    async place(tx) {
      const stores = createRestoredStores(tx);
      await requireShards(servers, nothingRestored);
      const spreadMinBytes = servedBy(servers).spread ? config.spreadMinBytes : Number.POSITIVE_INFINITY;
      await stores.place((all) => {
        const homes = homesFor(
          servers.shards,
          // A dataset that is on all shards does not count against its home.
          all.map(({ id, bytes, versionBytes }) => ({
            id,
            bytes: versionBytes >= spreadMinBytes ? 0 : bytes,
          })),
        );
        return all.map(({ id, versionBytes }) => ({
          id,
          shard: homes.get(id) ?? firstShard,
          everywhere: versionBytes >= spreadMinBytes,
        }));
      });
      return stores.segments;
    },
    recordHashes: restoreHashes,
    mendTables: createVersionReads({ sql, clickhouse: servers, tables: createStoreTables(servers) }).mendAll,
    settle: (tx) => settle(tx, installation),
    log,
  });
  return {
    check: restore.check,
    run: (id) => withAllShards(servers, nothingRestored, () => restore.run(id)),
  };
};
