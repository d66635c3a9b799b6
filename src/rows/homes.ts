/** Turns of the shards, which select the shard of a new dataset, or of a chunk of a dataset on all shards. */
import { type ClickHouseServers, firstShard, type Shard } from '../storage/clickhouse/client.js';
import { storeUnavailable } from '../storage/clickhouse/errors.js';

/** A shard with its weight in `remote_servers`. */
export type WeightedShard = Pick<Shard, 'number' | 'weight'>;

/** Longer lists are scaled down to about this many turns. */
const maxTurns = 1_000;

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/**
 * Numbers of the shards, each as often as its weight and spaced evenly; a weight of 0 never occurs. Pure, so all processes
 * with the same configuration take the same turns.
 */
export const turnsOf = (shards: readonly WeightedShard[]): readonly number[] => {
  const weighted = shards.filter(({ weight }) => weight > 0);
  const divisor = weighted.reduce((found, { weight }) => gcd(found, weight), 0);
  const sum = weighted.reduce((total, { weight }) => total + weight / divisor, 0);
  const scale = Math.min(1, maxTurns / sum);
  const counts = weighted.map(({ number, weight }) => ({
    number,
    count: Math.max(1, Math.round((weight / divisor) * scale)),
  }));
  const turns = counts.reduce((total, { count }) => total + count, 0);
  // Smooth weighted round robin: credit grows by the weight, and a turn costs all weights.
  const credits = counts.map(() => 0);
  return Array.from({ length: turns }, () => {
    let best = 0;
    for (const [at, { count }] of counts.entries()) {
      credits[at]! += count;
      if (credits[at]! > credits[best]!) best = at;
    }
    credits[best]! -= turns;
    return counts[best]!.number;
  });
};

/** The shard whose turn it is. @param at Any whole number from 0. */
export const turnAt = (turns: readonly number[], at: number): number | undefined => turns[at % turns.length];

/** Returns turns for the homes of new datasets. @throws AppError `store_unavailable` if no shard takes datasets. */
export type HomeTurns = () => Promise<readonly number[]>;

/** Milliseconds between checks. A shard that does not answer gets no new dataset until the next check, which is earlier then. */
const checkMs = { allAnswer: 60_000, oneAway: 5_000 } as const;

export const createHomeTurns = (servers: ClickHouseServers): HomeTurns => {
  if (servers.engine.cluster === undefined) return () => Promise.resolve([firstShard]);
  let turns: readonly number[] = [];
  let checkedAt = Number.NEGATIVE_INFINITY;
  let shards: readonly Shard[] = [];
  let validMs: number = checkMs.allAnswer;
  return async () => {
    if (turns.length === 0 || shards !== servers.shards || performance.now() - checkedAt > validMs) {
      shards = servers.shards;
      const answering = await Promise.all(
        shards.map(async (shard) => ((await shard.clickhouse.ping()) ? [shard] : [])),
      );
      turns = turnsOf(answering.flat());
      validMs = answering.every(({ length }) => length > 0) ? checkMs.allAnswer : checkMs.oneAway;
      checkedAt = performance.now();
    }
    if (turns.length === 0)
      throw storeUnavailable(new Error('no shard with a weight above 0 answers: no dataset can be placed'));
    return turns;
  };
};

/** A restored store. */
export interface SizedStore {
  readonly id: number;
  readonly bytes: number;
}

/** Homes for restored stores: largest first, each on the shard with the fewest bytes for its weight. */
export const homesFor = (
  shards: readonly WeightedShard[],
  stores: readonly SizedStore[],
): ReadonlyMap<number, number> => {
  const open = shards.filter(({ weight }) => weight > 0).map((shard) => ({ ...shard, bytes: 0 }));
  if (open.length === 0) throw storeUnavailable(new Error('no shard has a weight above 0'));
  const bySize = [...stores].sort((a, b) => b.bytes - a.bytes || a.id - b.id);
  return new Map(
    bySize.map(({ id, bytes }) => {
      // Spreads empty stores too.
      const weight = Math.max(1, bytes);
      const best = open.reduce((least, shard) =>
        (shard.bytes + weight) / shard.weight < (least.bytes + weight) / least.weight ? shard : least,
      );
      best.bytes += weight;
      return [id, best.number];
    }),
  );
};
