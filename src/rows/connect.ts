/** Connects to the servers that hold rows: to one, or to the shards of a cluster. */
import type { Log } from '../lib/log.js';
import {
  type ClickHouseServers,
  type Connection,
  type Shard,
  type StatementOptions,
  standAlone,
} from '../storage/clickhouse/client.js';
import type { Engine } from '../storage/clickhouse/engine.js';
import { overReplicas } from '../storage/clickhouse/replicas.js';
import type { Sql } from '../storage/postgres/sql.js';
import { ensureDatabase } from './ddl.js';
import { readEngine } from './engine.js';
import { bindInstallation, bindShard } from './installation.js';
import { joinServers } from './servers.js';
import { makeShardTables } from './shard-tables.js';
import { createRowTables } from './tables.js';
import { createTopology, type ShardAddress } from './topology.js';

export interface ConnectOptions {
  readonly sql: Sql;
  /** HTTP address of the first server. */
  readonly url: string;
  /** Name in `remote_servers`; undefined: there is one server. */
  readonly cluster: string | undefined;
  /** HTTP addresses of the nodes; undefined: read from ClickHouse. */
  readonly nodeUrls: readonly string[] | undefined;
  /** False: the servers do not belong to a catalog yet, or its schema does not exist. */
  readonly bind: boolean;
  /** Opens a connection, which the caller closes. */
  readonly open: (address: string) => Promise<Connection>;
  /** Adds an explanation to errors of the first statement. */
  readonly explain: <T>(work: () => Promise<T>) => Promise<T>;
  readonly log: Log;
}

/** Runs `prepare` before the first statement, and again until it succeeds: a server may be down when the process starts. */
const preparedBy = (connection: Connection, prepare: () => Promise<void>): Connection => {
  let prepared: Promise<void> | undefined;
  const ready = (): Promise<void> => {
    prepared ??= prepare().catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  const whenReady = async <T>(work: () => Promise<T>): Promise<T> => {
    await ready();
    return work();
  };
  return {
    ...connection,
    command: (sql, options) => whenReady(() => connection.command(sql, options)),
    rows: <T>(sql: string, options?: StatementOptions) => whenReady(() => connection.rows<T>(sql, options)),
    insert: (sql, data, options) => whenReady(() => connection.insert(sql, data, options)),
    send: (request) => whenReady(() => connection.send(request)),
  };
};

/** Connections to shards. A shard whose nodes have not changed keeps its connection. */
const createShards = ({ sql, bind, open }: ConnectOptions, engine: Engine) => {
  const isReplicated = engine.kind !== 'MergeTree';
  const opened = new Map<string, Connection>();

  const connect = async ({ number, replicas: [first, ...others] }: ShardAddress): Promise<Connection> => {
    const connections: [Connection, ...Connection[]] = [await open(first.url)];
    if (isReplicated) for (const { url } of others) connections.push(await open(url));
    const connection = isReplicated ? overReplicas(connections, engine) : connections[0];
    return preparedBy(connection, async () => {
      // A replicated database was created on all nodes at once.
      if (!isReplicated) await ensureDatabase(connection, engine);
      if (!bind) return;
      await bindInstallation(sql, connection, engine);
      await bindShard(connection, number, engine);
    });
  };

  const shardAt = async (address: ShardAddress): Promise<Shard> => {
    const { number, weight, replicas } = address;
    const key = `${number} ${replicas.map((replica) => replica.url).join(' ')}`;
    const clickhouse = opened.get(key) ?? (await connect(address));
    opened.set(key, clickhouse);
    return { number, weight, clickhouse };
  };
  return (addresses: readonly ShardAddress[]): Promise<Shard[]> => Promise.all(addresses.map(shardAt));
};

/**
 * Connects to all servers that hold rows. Before the first statement, each is checked to belong to the catalog.
 * @throws AppError if the cluster cannot be used, or has rows of another catalog.
 */
export const connectServers = async (options: ConnectOptions): Promise<ClickHouseServers> => {
  const { sql, url, cluster, nodeUrls, bind, log } = options;
  const first = await options.open(url);
  const engine = await options.explain(() => readEngine(first, cluster));
  const entry = standAlone(engine.kind === 'MergeTree' ? first : overReplicas([first], engine), engine);
  const topology =
    cluster === undefined ? undefined : createTopology(entry, { cluster, url, nodeUrls }, engine);
  const addresses = await topology?.();
  if (topology !== undefined || bind) await ensureDatabase(entry, engine);
  if (bind) await bindInstallation(sql, entry, engine);
  if (topology === undefined || addresses === undefined) return entry;
  const shardsAt = createShards(options, engine);
  let last = { addresses, shards: await shardsAt(addresses) };
  const servers: ClickHouseServers = joinServers({
    entry,
    engine,
    shards: last.shards,
    async readShards() {
      const now = await topology();
      if (now !== last.addresses) last = { addresses: now, shards: await shardsAt(now) };
      return last.shards;
    },
    makeTables: () => makeShardTables({ sql, clickhouse: servers, tables: createRowTables(servers), log }),
    log,
  });
  return servers;
};
