/** ClickHouse as the target of a restore: must be empty, is bound to the catalog, and gets the rows of each store at a new home. */
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
  /** @throws AppError 409 `not_empty` if a server has rows, unless they are left from a failed restore into this catalog. */
  requireEmpty(): Promise<void>;
  /** Creates the database. */
  prepare(): Promise<void>;
  /**
   * Binds the servers to this catalog, and removes the leftovers of an earlier attempt. Returns the id of the installation.
   * @throws AppError if they belong to another catalog.
   */
  claim(): Promise<string>;
  /** Removes all rows from servers that answer. The others stay bound to the catalog, so the next attempt clears them. */
  clear(): Promise<void>;
  /** Chooses the homes of all stores, in the transaction that restores the catalog. Returns a function that reads the places of segments. */
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
  /** Raw bytes of its segments. */
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

/** Query of the tables of rows, including `Distributed` tables. */
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
  /** All shards, and the entry if it is not one of them. */
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

  /** True if a server is bound to this catalog. As the catalog is empty, rows there are left from a failed restore. */
  const isBound = async (clickhouse: Connection): Promise<boolean> => {
    const id = (await hasTable(sql, 'settings')) ? await readSetting(sql, 'installation') : undefined;
    const found = await ifTableExists(
      () => clickhouse.rows<{ id: string }>(`SELECT DISTINCT id FROM ${database}.installation`),
      [],
    );
    return found.length === 1 && found[0]?.id === id;
  };

  /** @param notes Other tables to drop. */
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
            `A backup can only be restored into an empty product: the ClickHouse database ${database} has rows (${table}). Nothing was changed.`,
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
