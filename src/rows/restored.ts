/** ClickHouse as the target of a restore: is empty, belongs to the catalog, and gets the rows of each store at its new home. */
import { conflict } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import {
  type ClickHouseServers,
  type Connection,
  firstShard,
  servedBy,
} from '../storage/clickhouse/client.js';
import { ifTableExists } from '../storage/clickhouse/errors.js';
import { hasTable } from '../storage/postgres/schema.js';
import { readSetting } from '../storage/postgres/settings.js';
import type { Sql } from '../storage/postgres/sql.js';
import { createDdl, ensureDatabase, runAll } from './ddl.js';
import { homesFor } from './homes.js';
import { bindInstallation, bindShard } from './installation.js';
import { placeColumnsSql, placesSql, type SegmentPlace } from './segment-place.js';
import { placeStores } from './stores.js';

export interface RestoreTarget {
  /** @throws AppError 409 `not_empty` when a server has rows, unless a restore into this catalog has left them. */
  requireEmpty(): Promise<void>;
  /** Makes the database. */
  prepare(): Promise<void>;
  /**
   * Binds the servers to this catalog, and removes what an earlier attempt has left. Returns the id of the installation.
   * @throws AppError when they belong to another catalog.
   */
  claim(): Promise<string>;
  /** Removes all rows from servers that answer; the others are bound to the catalog, and the next attempt clears them. */
  clear(): Promise<void>;
  /** Chooses the homes of all stores of a catalog in its transaction. The result says where the rows of segments go. */
  place(tx: Sql): Promise<(ids: readonly number[]) => Promise<SegmentPlace[]>>;
}

export interface RestoreTargetOptions {
  readonly sql: Sql;
  readonly clickhouse: ClickHouseServers;
  /** Raw bytes from which a dataset is on all shards. */
  readonly spreadMinBytes: number;
  readonly log: Log;
}

interface RestoredStore {
  readonly id: number;
  /** Raw bytes of what versions name. */
  readonly bytes: number;
  /** Raw bytes of its largest version. */
  readonly versionBytes: number;
}

const storesSql = `
  SELECT s.id,
    coalesce((SELECT sum(g.bytes) FROM segments g WHERE g.store_id = s.id AND g.rows > 0), 0)::bigint AS bytes,
    coalesce((SELECT max(v.byte_size) FROM datasets d JOIN versions v ON v.dataset_id = d.id
      WHERE d.store_id = s.id), 0)::bigint AS "versionBytes"
  FROM stores s ORDER BY s.id`;

/** Tables of rows, those over all shards among them. */
const rowTables = `SELECT name FROM system.tables WHERE database = {database:String}
  AND match(name, '^(d?s[0-9]+|[ua][0-9]+(_[0-9a-f]+)?|d?pool_(narrow|medium|wide))$')`;

export const createRestoreTarget = ({
  sql,
  clickhouse: servers,
  spreadMinBytes,
  log,
}: RestoreTargetOptions): RestoreTarget => {
  const { database, engine } = servers;
  const ddl = createDdl(database, engine);
  const params = { database };
  /** The entry, which may be one of the shards, and all shards. */
  const all: readonly Connection[] = [
    ...new Set([servers.entry, ...servers.shards.map(({ clickhouse }) => clickhouse)]),
  ];

  const tableWithRows = async (clickhouse: Connection): Promise<string | undefined> => {
    const [some] = await clickhouse.rows<{ table: string }>(
      `SELECT table FROM system.parts WHERE database = {database:String} AND active AND rows > 0
         AND table IN (${rowTables}) LIMIT 1`,
      { params },
    );
    return some?.table;
  };

  /** True where a server is bound to this catalog, which has nothing: its rows are what a restore has left. */
  const isBound = async (clickhouse: Connection): Promise<boolean> => {
    const id = (await hasTable(sql, 'settings')) ? await readSetting(sql, 'installation') : undefined;
    const found = await ifTableExists(
      () => clickhouse.rows<{ id: string }>(`SELECT DISTINCT id FROM ${database}.installation`),
      [],
    );
    return found.length === 1 && found[0]?.id === id;
  };

  /** @param notes Further tables. */
  const clearServer = async (clickhouse: Connection, notes: readonly string[]): Promise<void> => {
    const tables = await clickhouse.rows<{ name: string }>(rowTables, { params });
    for (const name of [...tables.map((table) => table.name), ...notes])
      await runAll(clickhouse, ddl.dropTable(name, 'SYNC'));
  };

  return {
    async requireEmpty() {
      for (const clickhouse of all) {
        const table = await tableWithRows(clickhouse);
        if (table !== undefined && !(await isBound(clickhouse)))
          throw conflict(
            'not_empty',
            `A backup is restored into an empty product only: the ClickHouse database ${database} has rows (${table}). Nothing was changed.`,
          );
      }
    },

    prepare: () => ensureDatabase(servers.entry, engine),

    async claim() {
      let id = '';
      for (const clickhouse of all) id = await bindInstallation(sql, clickhouse, engine);
      for (const clickhouse of all) await clearServer(clickhouse, ['installation_shard']);
      if (engine.cluster !== undefined)
        for (const { number, clickhouse } of servers.shards) await bindShard(clickhouse, number, engine);
      return id;
    },

    async clear() {
      for (const clickhouse of all)
        await clearServer(clickhouse, ['installation', 'installation_shard']).catch((error: unknown) =>
          log.error({ err: error }, 'rows of a restore that failed are left'),
        );
    },

    async place(tx) {
      const stores = await tx.query<RestoredStore>(storesSql);
      const isEverywhere = ({ versionBytes }: RestoredStore): boolean =>
        servedBy(servers).isCluster && versionBytes >= spreadMinBytes;
      const homes = homesFor(
        servers.shards,
        // A dataset that is on all shards does not count against its home.
        stores.map((store) => ({ id: store.id, bytes: isEverywhere(store) ? 0 : store.bytes })),
      );
      await placeStores(
        tx,
        stores.map((store) => ({
          id: store.id,
          shard: homes.get(store.id) ?? firstShard,
          everywhere: isEverywhere(store),
        })),
        servers.shards.length,
      );
      return (ids) =>
        tx.query<SegmentPlace>(
          `SELECT ${placeColumnsSql} FROM ${placesSql} WHERE s.id = ANY ($1) ORDER BY s.id`,
          [ids],
        );
    },
  };
};
