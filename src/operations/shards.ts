/** The shards of a ClickHouse cluster as operators see them. */
import type { ShardSummary } from '../http/routes/ops-actions.js';
import { away, readShardSizes } from '../rows/shard-sizes.js';
import { countStores, strayStores } from '../rows/shard-stores.js';
import { type ClickHouseServers, servedBy } from '../storage/clickhouse/client.js';
import type { Sql } from '../storage/postgres/sql.js';

export interface ShardsView {
  /** Stores whose rows lie on all shards. */
  readonly spreadStores: number;
  /** Those of the configuration, then others on which stores lie. */
  readonly shards: readonly ShardSummary[];
}

/** It does not throw for a shard that is away. */
export const viewShards = async (sql: Sql, servers: ClickHouseServers): Promise<ShardsView> => {
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
            ...away(shard, 'CLICKHOUSE_CLUSTER does not name it'),
            state: 'not configured',
            weight: 0,
            stores,
          },
        ],
  );
  return { spreadStores: storesOn(null), shards: [...configured, ...others] };
};

/** Nothing of one server that has all rows. */
export const viewCluster = async (
  sql: Sql,
  servers: ClickHouseServers,
): Promise<ShardsView | Record<string, never>> =>
  servers.engine.cluster === undefined && (await strayStores(sql, servedBy(servers))).length === 0
    ? {}
    : viewShards(sql, servers);
