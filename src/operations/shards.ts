/** The shards of a ClickHouse cluster as operators see them. */
import type { ShardSummary } from '../http/routes/ops-actions.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';
import { readShardSizes } from '../storage/clickhouse/shard-sizes.js';
import { drainingShards } from '../storage/postgres/draining-shards.js';
import { countStores } from '../storage/postgres/shard-stores.js';
import type { Sql } from '../storage/postgres/sql.js';

export interface ShardsView {
  /** Stores whose rows lie on all shards. */
  readonly spreadStores: number;
  readonly shards: readonly ShardSummary[];
}

/** It does not throw for a shard that is away. */
export const viewShards = async (
  sql: Sql,
  { shards }: Pick<ClickHouseServers, 'shards'>,
): Promise<ShardsView> => {
  const [found, counts, drains] = await Promise.all([
    Promise.all(shards.map(readShardSizes)),
    countStores(sql),
    drainingShards(sql),
  ]);
  const storesOn = (number: number | null): number =>
    counts.find(({ shard }) => shard === number)?.stores ?? 0;
  return {
    spreadStores: storesOn(null),
    shards: found.map((size) => ({
      ...size,
      state: size.error !== null ? 'away' : drains.includes(size.shard) ? 'draining' : 'in use',
      stores: storesOn(size.shard),
    })),
  };
};
