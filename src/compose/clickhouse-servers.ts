/** Connects to ClickHouse: to one server, or to the shards of a cluster. */
import type { Config } from '../config.js';
import { explainCertificate } from '../lib/certificate.js';
import type { Log } from '../lib/log.js';
import type { Scope } from '../lib/scope.js';
import { ensureDatabase } from '../rows/ddl.js';
import { readEngine } from '../rows/engine.js';
import { bindInstallation, bindShard } from '../rows/installation.js';
import { joinServers } from '../rows/servers.js';
import { makeShardTables } from '../rows/shard-tables.js';
import { createStoreTables } from '../rows/tables.js';
import { createTopology, type ShardAddress } from '../rows/topology.js';
import {
  type ClickHouseServers,
  type Connection,
  createClickHouse,
  type Shard,
  standAlone,
} from '../storage/clickhouse/client.js';
import { overReplicas } from '../storage/clickhouse/replicas.js';
import type { Sql } from '../storage/postgres/sql.js';
import { required } from './required.js';

export interface ServersOptions {
  readonly log: Log;
  /** @default 32 each */
  readonly maxConnections?: number;
  /** False: they belong to no catalog yet, or to one without a schema. @default true */
  readonly bind?: boolean;
  /** Wraps each connection. */
  readonly wrap?: (connection: Connection, url: string) => Connection;
}

/** Lets no statement through before `prepare` has succeeded once: a server may be away when the process starts. */
const preparedBy = (connection: Connection, prepare: () => Promise<void>): Connection => {
  let prepared: Promise<void> | undefined;
  const ready = (): Promise<void> => {
    prepared ??= prepare().catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  return {
    ...connection,
    command: async (sql, options) => {
      await ready();
      return connection.command(sql, options);
    },
    rows: async <T>(sql: string, options?: Parameters<Connection['rows']>[1]) => {
      await ready();
      return connection.rows<T>(sql, options);
    },
    insert: async (sql, data, options) => {
      await ready();
      return connection.insert(sql, data, options);
    },
    send: async (request) => {
      await ready();
      return connection.send(request);
    },
  };
};

/**
 * Opens connections to all servers that hold rows. They belong to the catalog, or nothing is asked of them.
 * @throws AppError when CLICKHOUSE_URL or the cluster cannot be used, or holds rows of another catalog.
 */
export const openServers = async (
  config: Config,
  sql: Sql,
  scope: Scope,
  { log, maxConnections, bind = true, wrap = (connection) => connection }: ServersOptions,
): Promise<ClickHouseServers> => {
  const { clickhouseDatabase: database, clickhouseCluster: cluster, clickhouseNodeUrls: nodeUrls } = config;
  const url = required(config.clickhouseUrl, 'CLICKHOUSE_URL');
  const open = async (address: string): Promise<Connection> => {
    const connection = createClickHouse({
      url: address,
      database,
      silenceMs: config.componentSilenceMs,
      ...(maxConnections === undefined ? {} : { maxConnections }),
    });
    await scope.defer('ClickHouse connections', connection.close);
    return wrap(connection, address);
  };
  const first = await open(url);
  const engine = await explainCertificate('CLICKHOUSE_URL', () => readEngine(first, cluster));
  const isReplicated = engine.kind !== 'MergeTree';
  const entry = standAlone(isReplicated ? overReplicas([first], engine) : first, engine);
  if (cluster === undefined) {
    if (!bind) return entry;
    await ensureDatabase(entry, engine);
    await bindInstallation(sql, entry, engine);
    return entry;
  }
  const topology = createTopology(entry, { cluster, url, nodeUrls }, engine);
  const addresses = await topology();
  await ensureDatabase(entry, engine);
  if (bind) await bindInstallation(sql, entry, engine);
  const openShard = async ({ url: address, replicas }: ShardAddress): Promise<Connection> => {
    const connection = await open(address);
    if (!isReplicated) return connection;
    const others: Connection[] = [];
    for (const replica of replicas.slice(1)) others.push(await open(replica.url));
    return overReplicas([connection, ...others], engine);
  };
  const preparedShard = async (address: ShardAddress): Promise<Connection> => {
    const connection = await openShard(address);
    return preparedBy(connection, async () => {
      // The database of replicas was made on all nodes at once.
      if (!isReplicated) await ensureDatabase(connection, engine);
      if (!bind) return;
      await bindInstallation(sql, connection, engine);
      await bindShard(connection, address.number, engine);
    });
  };
  /** Connections by what they lead to: a shard that stays keeps its own. */
  const opened = new Map<string, Connection>();
  const shardOf = async (address: ShardAddress): Promise<Shard> => {
    const { number, weight, replicas } = address;
    const key = `${number} ${replicas.map((replica) => replica.url).join(' ')}`;
    const clickhouse = opened.get(key) ?? (await preparedShard(address));
    opened.set(key, clickhouse);
    return { number, weight, clickhouse };
  };
  const shardsAt = (list: readonly ShardAddress[]): Promise<Shard[]> => Promise.all(list.map(shardOf));
  let last = { addresses, shards: await shardsAt(addresses) };
  const readShards = async (): Promise<readonly Shard[]> => {
    const now = await topology();
    if (now !== last.addresses) last = { addresses: now, shards: await shardsAt(now) };
    return last.shards;
  };
  const servers: ClickHouseServers = joinServers({
    entry,
    engine,
    shards: last.shards,
    readShards,
    makeTables: () => makeShardTables({ sql, tables: createStoreTables(servers), log }),
    log,
  });
  return servers;
};
