import type { ShardSummary } from '../http/routes/ops-actions.js';
import type { ShardAddress } from '../rows/topology.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type ShardsView, viewShards } from './shards.js';

/** A line of `cluster show`. */
export interface ShardWithNodes extends ShardSummary {
  /** As `host:port` of the native protocol. */
  readonly nodes: string;
}

export interface ClusterView extends ShardsView {
  readonly cluster: string;
  readonly shards: readonly ShardWithNodes[];
}

export interface ClusterOperations {
  show(): Promise<ClusterView>;
}

export interface ClusterParts {
  readonly sql: Sql;
  readonly cluster: string;
  readonly servers: ClickHouseServers;
  readonly addresses: readonly ShardAddress[];
}

export const createClusterOperations = ({
  sql,
  cluster,
  servers,
  addresses,
}: ClusterParts): ClusterOperations => ({
  async show() {
    const view = await viewShards(sql, servers);
    const nodesOf = (number: number): string =>
      (addresses.find((address) => address.number === number)?.replicas ?? [])
        .map(({ host, tcpPort }) => `${host}:${tcpPort}`)
        .join(' ');
    return {
      cluster,
      ...view,
      shards: view.shards.map((shard) => ({ ...shard, nodes: nodesOf(shard.shard) })),
    };
  },
});
