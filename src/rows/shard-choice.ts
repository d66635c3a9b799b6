/** The shard for the rows of a new store. */
import type { Log } from '../lib/log.js';
import { firstShard } from '../model/placement.js';
import type { ClickHouseServers, Connection } from '../storage/clickhouse/client.js';
import { storeUnavailable } from '../storage/clickhouse/errors.js';

/** @throws AppError `unavailable` when no shard takes rows. */
export type ShardChoice = () => Promise<number>;

export interface ShardChoiceOptions {
  /** Shards that are to get no further stores. */
  readonly closed: () => Promise<readonly number[]>;
  readonly log: Log;
  /** Milliseconds between two looks at what is free. @default 60000 */
  readonly lookMs?: number;
}

// Object storage says that all of 2^64 bytes are free.
const freeSql = `SELECT toString(least(sum(free_space), 1000000000000000)) AS free FROM system.disks`;

const freeBytes = async (clickhouse: Connection): Promise<number> => {
  const [row] = await clickhouse.rows<{ free: string }>(freeSql);
  return Number(row?.free ?? 0);
};

interface Weighed {
  readonly number: number;
  /** Free bytes; 0: it does not answer, or is closed. */
  readonly weight: number;
  /** Grows by the weight with each choice, and falls by all weights when the shard is chosen. */
  credit: number;
}

/** Shards by turns, each as often as its share of the free space: the disks fill up together. */
export const createShardChoice = (
  servers: ClickHouseServers,
  { closed, log, lookMs = 60_000 }: ShardChoiceOptions,
): ShardChoice => {
  if (servers.cluster === undefined) return () => Promise.resolve(firstShard);
  let shards: readonly Weighed[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** One that is away gets nothing until the next look. */
  const freeOf = (number: number, clickhouse: Connection): Promise<number> =>
    freeBytes(clickhouse).catch((error: unknown) => {
      log.warn({ err: error, shard: number }, 'shard not asked for its free space');
      return 0;
    });

  const look = async (): Promise<void> => {
    const without = new Set(await closed());
    const weights = await Promise.all(
      servers.shards.map(async ({ number, clickhouse }) => ({
        number,
        weight: without.has(number) ? 0 : await freeOf(number, clickhouse),
      })),
    );
    const before = new Map(shards.map(({ number, credit }) => [number, credit]));
    shards = weights.map((shard) => ({ ...shard, credit: before.get(shard.number) ?? 0 }));
    lookedAt = performance.now();
  };

  return async () => {
    if (performance.now() - lookedAt > lookMs) await look();
    const open = shards.filter(({ weight }) => weight > 0);
    for (const shard of open) shard.credit += shard.weight;
    const best = open.reduce<Weighed | undefined>(
      (most, shard) => (most === undefined || shard.credit > most.credit ? shard : most),
      undefined,
    );
    if (best === undefined) {
      lookedAt = Number.NEGATIVE_INFINITY;
      throw storeUnavailable(new Error('no shard has free space, or none answers'));
    }
    best.credit -= open.reduce((sum, { weight }) => sum + weight, 0);
    return best.number;
  };
};
