import { AppError } from '../lib/errors.js';
import { readShardSizes, type ShardSizes } from '../rows/shard-sizes.js';
import type { ClickHouseServers } from '../storage/clickhouse/client.js';

/**
 * What the shards of a cluster hold, all of which have to answer.
 * @param consequence Is told with those that are away.
 * @throws AppError `shard_away`.
 */
export const requireShards = async (
  servers: ClickHouseServers,
  consequence: string,
  cause?: unknown,
): Promise<ShardSizes[]> => {
  const found = await Promise.all(servers.shards.map(readShardSizes));
  const away = found.filter(({ error }) => error !== null);
  if (away.length === 0) return found;
  const told = away.map(({ shard, error }) => `shard ${shard} of ClickHouse does not answer (${error})`);
  throw new AppError('unavailable', 'shard_away', `${told.join(', ')}. ${consequence}`, { cause });
};

/** Does what needs all shards of a cluster. One that is away, from the beginning or in the middle, is named by the error. */
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
