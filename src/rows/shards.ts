/** The shards of ClickHouse for operators, and stores on shards that are not configured. */
import { AppError, messageOf } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import {
  type ClickHouseServers,
  firstShard,
  type Shard,
  servedBy,
  unknownShard,
} from '../storage/clickhouse/client.js';
import type { Sql } from '../storage/postgres/sql.js';
import { readServerSizes } from './sizes.js';
import { countStores, noteShards, type UnservedStores, unservedStores } from './stores.js';
import { readTopology, type TopologyOptions } from './topology.js';

/** Contents of one shard of a cluster; nulls if it does not answer. */
export interface ShardSizes {
  readonly shard: number;
  /** Reason why it does not answer; null if it does. */
  readonly error: string | null;
  /** Bytes on its disks. */
  readonly bytes: number | null;
  /** Number of rows of datasets. */
  readonly rows: number | null;
  readonly parts: number | null;
  /** Free bytes on all disks; null if ClickHouse does not report them. */
  readonly freeBytes: number | null;
}

/** A shard of a cluster. */
export interface ShardSummary extends ShardSizes {
  /** `not configured`: it has stores, but CLICKHOUSE_CLUSTER does not include it. */
  readonly state: 'in use' | 'away' | 'not configured';
  /** Share of new rows, from `remote_servers`; 0: it is only read. */
  readonly weight: number;
  /** Stores with all of their rows there. */
  readonly stores: number;
}

export interface ShardsView {
  /** Stores with rows on all shards. */
  readonly everywhereStores: number;
  /** Configured shards, then others with stores. */
  readonly shards: readonly ShardSummary[];
}

const unavailableShard = (shard: number, error: string): ShardSizes => ({
  shard,
  error,
  bytes: null,
  rows: null,
  parts: null,
  freeBytes: null,
});

/** Does not throw: a shard that is down must not hide the others. */
const readShardSizes = async ({ number: shard, clickhouse }: Shard): Promise<ShardSizes> => {
  try {
    const { kinds, disks } = await readServerSizes(clickhouse);
    const sum = (of: 'bytes' | 'rows' | 'parts'): number =>
      kinds.reduce((total, kind) => total + kind[of], 0);
    // Notes such as the shard number do not count: a shard without other rows is empty.
    const notes = kinds.find(({ kind }) => kind === 'other')?.rows ?? 0;
    return {
      shard,
      error: null,
      bytes: sum('bytes'),
      rows: sum('rows') - notes,
      parts: sum('parts'),
      freeBytes: disks.length === 0 ? null : disks.reduce((total, disk) => total + disk.freeBytes, 0),
    };
  } catch (error) {
    return unavailableShard(shard, messageOf(error));
  }
};

/** Shards with sizes and stores. Does not throw if a shard is down. */
const viewShards = async (sql: Sql, servers: ClickHouseServers): Promise<ShardsView> => {
  const [found, counts] = await Promise.all([
    Promise.all(servers.shards.map(readShardSizes)),
    countStores(sql),
  ]);
  const storesOn = (number: number | null): number =>
    counts.find(({ shard }) => shard === number)?.stores ?? 0;
  const configured = found.map(
    (size): ShardSummary => ({
      ...size,
      weight: servers.shards.find(({ number }) => number === size.shard)?.weight ?? 0,
      state: size.error === null ? 'in use' : 'away',
      stores: storesOn(size.shard),
    }),
  );
  const numbers = new Set(configured.map(({ shard }) => shard));
  const others = counts.flatMap(({ shard, stores }): ShardSummary[] =>
    shard === null || numbers.has(shard)
      ? []
      : [
          {
            ...unavailableShard(shard, 'CLICKHOUSE_CLUSTER does not name it'),
            state: 'not configured',
            weight: 0,
            stores,
          },
        ],
  );
  return { everywhereStores: storesOn(null), shards: [...configured, ...others] };
};

/** Shards for the console; empty if one server has all rows. */
export const viewCluster = async (
  sql: Sql,
  servers: ClickHouseServers,
): Promise<ShardsView | Record<string, never>> =>
  servers.engine.cluster === undefined && (await unservedStores(sql, servedBy(servers))).length === 0
    ? {}
    : viewShards(sql, servers);

/** A line of `cluster show`. */
export interface ShardWithNodes extends ShardSummary {
  /** As `host:port` of the native protocol. */
  readonly nodes: string;
}

export interface ClusterView extends ShardsView {
  readonly cluster: string;
  readonly shards: readonly ShardWithNodes[];
}

/** Shards of a cluster with the nodes of each. */
export const showCluster = async (
  sql: Sql,
  servers: ClickHouseServers,
  cluster: TopologyOptions,
): Promise<ClusterView> => {
  const addresses = await readTopology(servers.entry, cluster, servers.engine);
  const view = await viewShards(sql, servers);
  const nodesOf = (number: number): string =>
    (addresses.find((address) => address.number === number)?.replicas ?? [])
      .map(({ host, tcpPort }) => `${host}:${tcpPort}`)
      .join(' ');
  return {
    cluster: cluster.cluster,
    ...view,
    shards: view.shards.map((shard) => ({ ...shard, nodes: nodesOf(shard.shard) })),
  };
};

/**
 * Requires all shards of a cluster to answer.
 * @param consequence End of the error message.
 * @throws AppError `shard_away`.
 */
const requireShards = async (
  { shards }: ClickHouseServers,
  consequence: string,
  cause?: unknown,
): Promise<void> => {
  const found = await Promise.all(shards.map(readShardSizes));
  const silent = found.filter(({ error }) => error !== null);
  if (silent.length === 0) return;
  const reasons = silent.map(({ shard, error }) => `shard ${shard} of ClickHouse does not answer (${error})`);
  throw new AppError('unavailable', 'shard_away', `${reasons.join(', ')}. ${consequence}`, { cause });
};

/** Runs work that needs all shards of a cluster. The error names a shard that is down, before or during the work. */
export const withAllShards = async <T>(
  servers: ClickHouseServers,
  consequence: string,
  work: () => Promise<T>,
): Promise<T> => {
  if (servers.engine.cluster === undefined) return work();
  await requireShards(servers, consequence);
  try {
    return await work();
  } catch (error) {
    await requireShards(servers, consequence, error);
    throw error;
  }
};

/** Describes a configuration error and its remedy. */
const faultOf = (shard: number | null, cluster: string | undefined): string => {
  if (cluster === undefined)
    return 'and CLICKHOUSE_CLUSTER is not set: set it as it was; to give the cluster up, restore a backup onto one server';
  const [lacked, those] =
    shard === null
      ? [`of which cluster ${cluster} lacks some`, 'its shards']
      : [`which cluster ${cluster} does not have`, `its shard ${shard}`];
  return `${lacked}: give ${cluster} ${those} back in remote_servers; if rows are lost, restore a backup`;
};

const describeUnserved = ({ shard, datasets }: UnservedStores, cluster: string | undefined): string =>
  `the rows of ${datasets} dataset${datasets === 1 ? '' : 's'} are on ${shard === null ? 'several shards' : `shard ${shard}`}, ${faultOf(shard, cluster)}`;

/** Reason why there is no cluster to show, with the number of datasets that a single server cannot read. */
export const describeNoCluster = async (sql: Sql): Promise<string> => {
  const found = await unservedStores(sql, { shards: [firstShard], isCluster: false });
  return found.length === 0
    ? 'CLICKHOUSE_CLUSTER is not set: all rows are on one server'
    : found.map((unserved) => describeUnserved(unserved, undefined)).join('; ');
};

/** @throws AppError for a dataset that cannot take uploads until the configuration is repaired. */
export type RequireServed = (storeId: number) => Promise<void>;

/**
 * Logs which datasets cannot be read with this configuration; the process serves all others. Returns a check that refuses uploads to them,
 * which would wait in Kafka and hold back others; undefined if all datasets can be read, as is normal.
 */
export const reportUnservedStores = async (
  sql: Sql,
  servers: ClickHouseServers,
  log: Log,
): Promise<RequireServed | undefined> => {
  const served = servedBy(servers);
  if (served.isCluster) await noteShards(sql, served.shards.length);
  const found = await unservedStores(sql, served);
  for (const unserved of found) {
    const { shard, stores, datasets } = unserved;
    const reason = describeUnserved(unserved, servers.engine.cluster);
    log.error({ shard, stores, datasets, reason }, 'datasets on a shard that is not configured');
  }
  if (found.length === 0) return undefined;
  return async (storeId) => {
    const [unserved] = await unservedStores(sql, served, storeId);
    if (unserved !== undefined) throw unknownShard(unserved.shard);
  };
};
