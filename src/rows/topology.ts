/** The nodes of a cluster from `system.clusters`, with their HTTP addresses. */
import { AppError } from '../lib/errors.js';
import type { Connection } from '../storage/clickhouse/client.js';
import { type Engine, mergeTree } from '../storage/clickhouse/engine.js';
import { isUnknownTable } from '../storage/clickhouse/errors.js';
import { createDdl, runAll } from './ddl.js';

export interface NodeAddress {
  /** HTTP address, with user and password. */
  readonly url: string;
  readonly host: string;
  /** Port of the native protocol, by which nodes reach each other. */
  readonly tcpPort: number;
}

/** A shard, whose replicas have the same rows. */
export interface ShardAddress {
  /** `shard_num` of `system.clusters`: 1, 2, … */
  readonly number: number;
  /** Share of new data, from `remote_servers`; 0: it is only read. */
  readonly weight: number;
  readonly replicas: readonly [NodeAddress, ...NodeAddress[]];
}

export interface TopologyOptions {
  readonly cluster: string;
  /** Address from CLICKHOUSE_URL. */
  readonly url: string;
  /** HTTP addresses by shard and replica number; undefined: read from the nodes. */
  readonly nodeUrls?: readonly string[] | undefined;
}

/** A row of `system.clusters`. */
export interface ClusterNode {
  readonly shard: number;
  readonly replica: number;
  readonly host: string;
  readonly port: number;
  /** Weight of its shard for new data. */
  readonly weight: number;
}

const misconfigured = (message: string): AppError => new AppError('invalid', 'bad_configuration', message);

/** Adds account and parameters of CLICKHOUSE_URL if the address has none. */
const withDefaults = (address: string, { username, password, search }: URL): string => {
  const url = new URL(address);
  if (url.username === '') Object.assign(url, { username, password });
  if (url.search === '') url.search = search;
  return url.href;
};

/** The address of CLICKHOUSE_URL at another host and port. */
const urlAt = (url: URL, host: string, port: string): string => {
  const address = new URL(url);
  address.hostname = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  address.port = port;
  return address.href;
};

const urlOf = (
  node: ClusterNode,
  all: readonly ClusterNode[],
  ports: ReadonlyMap<number, number>,
  url: URL,
): string => {
  const port = ports.get(node.shard);
  if (port !== undefined) return urlAt(url, node.host, String(port));
  // The shard is down. Nodes on separate hosts listen on the same port; nodes on one host cannot.
  if (all.filter(({ host }) => host === node.host).length === 1) return urlAt(url, node.host, url.port);
  throw misconfigured(
    `shard ${node.shard} of ClickHouse at ${node.host}:${node.port} does not answer, so its HTTP port is not known: start it or set CLICKHOUSE_NODE_URLS`,
  );
};

/**
 * Shards in the order of their numbers.
 * @param ports HTTP ports by shard number, of the shards that answered.
 * @throws AppError if there are fewer given addresses than nodes, or an address is not known
 */
export const shardsOf = (
  nodes: readonly ClusterNode[],
  ports: ReadonlyMap<number, number>,
  { url, nodeUrls, cluster }: TopologyOptions,
): ShardAddress[] => {
  const base = new URL(url);
  // There may already be addresses of nodes that will be added.
  if (nodeUrls !== undefined && nodeUrls.length < nodes.length)
    throw misconfigured(
      `CLICKHOUSE_NODE_URLS has ${nodeUrls.length} addresses, cluster ${cluster} ${nodes.length} nodes: add the missing ones in the order of system.clusters`,
    );
  const shards = new Map<number, ShardAddress>();
  for (const [at, node] of nodes.entries()) {
    const given = nodeUrls?.[at];
    const { shard: number, weight, host, port: tcpPort } = node;
    const address = {
      url: given === undefined ? urlOf(node, nodes, ports, base) : withDefaults(given, base),
      host,
      tcpPort,
    };
    const known = shards.get(number)?.replicas;
    shards.set(number, { number, weight, replicas: known === undefined ? [address] : [...known, address] });
  }
  return [...shards.values()];
};

const readNodes = async (entry: Connection, cluster: string): Promise<ClusterNode[]> => {
  const nodes = await entry.rows<ClusterNode>(
    `SELECT toUInt32(shard_num) AS shard, toUInt32(replica_num) AS replica, host_name AS host, port,
       toUInt32(shard_weight) AS weight FROM system.clusters WHERE cluster = {cluster:String} ORDER BY shard, replica`,
    { params: { cluster } },
  );
  if (nodes.length > 0) return nodes;
  const names = await entry.rows<{ cluster: string }>(
    'SELECT DISTINCT cluster FROM system.clusters ORDER BY cluster',
  );
  const known = names.map((row) => row.cluster).join(', ');
  throw misconfigured(
    `CLICKHOUSE_CLUSTER: ClickHouse has no cluster ${cluster} (remote_servers); it has ${known === '' ? 'none' : known}`,
  );
};

/** One address may lead to several servers: one may lack the table that another has created. */
const attempts = 5;

/**
 * HTTP ports of the shards that answer. Read through a table, because table functions that reach other servers need a privilege that the
 * product does not have.
 */
const askPorts = async (
  entry: Connection,
  { cluster, url }: TopologyOptions,
  engine: Engine,
): Promise<ReadonlyMap<number, number>> => {
  const ddl = createDdl(entry.database, engine);
  const table = `${entry.database}.\`nodes_${cluster}\``;
  const port = new URL(url).protocol === 'https:' ? 'https_port' : 'http_port';
  for (let attempt = 1; ; attempt += 1) {
    await runAll(entry, [...ddl.createDatabase(), ...ddl.createOverNodes(table, cluster)]);
    try {
      const rows = await entry.rows<{ shard: number; port: number }>(
        `SELECT _shard_num AS shard, getServerPort('${port}') AS port FROM ${table}`,
        { settings: { skip_unavailable_shards: 1 } },
      );
      return new Map(rows.map((row) => [row.shard, row.port]));
    } catch (error) {
      if (!isUnknownTable(error) || attempt === attempts) throw error;
    }
  }
};

/** Returns the current shards of a cluster; the same array if nothing has changed since the last call. */
export type ReadTopology = () => Promise<readonly ShardAddress[]>;

/** Reads the topology from `system.clusters`, and the HTTP ports of nodes only if it has changed. */
export const createTopology = (entry: Connection, options: TopologyOptions, engine: Engine): ReadTopology => {
  /** Last known ports, for nodes that are down. */
  const ports = new Map<number, number>();
  let known: { readonly nodes: string; readonly shards: readonly ShardAddress[] } | undefined;
  return async () => {
    const found = await readNodes(entry, options.cluster);
    const nodes = JSON.stringify(found);
    if (known?.nodes !== nodes) {
      if (options.nodeUrls === undefined)
        for (const [shard, port] of await askPorts(entry, options, engine)) ports.set(shard, port);
      known = { nodes, shards: shardsOf(found, ports, options) };
    }
    return known.shards;
  };
};

/**
 * Reads the shards of a cluster and their replicas once.
 * @throws AppError if ClickHouse has no cluster of that name, or the address of a node is not known
 */
export const readTopology = (
  entry: Connection,
  options: TopologyOptions,
  engine: Engine = mergeTree,
): Promise<readonly ShardAddress[]> => createTopology(entry, options, engine)();
