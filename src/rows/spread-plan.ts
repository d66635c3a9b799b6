/** Which rows of a spread store leave their shards, and where they go. */
import { turn } from './spread-tables.js';

/** A share of all rows, in these parts: coarse, so that a plan that is made again is the same one. */
export const wholeShare = 64;

export interface SpreadPlan {
  /** By shard, its share in 64ths; others keep their rows. */
  readonly leaving: ReadonlyMap<number, number>;
  /** Shards that get what leaves; none of those that it leaves. */
  readonly targets: readonly number[];
  /** Shards that get no rows, also not with later uploads. */
  readonly closed: readonly number[];
}

export interface SpreadCopy {
  /** Number of the tables that have the rows. */
  readonly from: number;
  /** Of those that get them. */
  readonly to: number;
  readonly plan: SpreadPlan;
  readonly segmentIds: readonly number[];
}

/** Condition of the rows that leave: those of some turns, the same at each attempt. */
export const leaves = (share: number): string =>
  share === wholeShare ? 'true' : `intDiv(${turn}, 1024) % ${wholeShare} < ${Number(share)}`;

const numbers = (shards: Iterable<number>): number[] => [...shards].sort((a, b) => a - b);

/** Written down beside the tables that are filled by it. */
export const planText = ({ leaving, targets }: SpreadPlan): string => {
  const shares = numbers(leaving.keys()).map(
    (shard) => `${leaving.get(shard)}/${wholeShare} of shard ${shard}`,
  );
  return `rows that leave: ${shares.join(', ')}; to shard ${numbers(targets).join(', ')}`;
};

/** All that these shards have goes to the others. */
export const planLeaving = (shards: readonly number[], closed: readonly number[]): SpreadPlan => ({
  leaving: new Map(closed.map((shard) => [shard, wholeShare])),
  targets: shards.filter((shard) => !closed.includes(shard)),
  closed,
});

/** Of a shard that keeps some. */
const shareOf = (part: number): number => Math.min(wholeShare - 1, Math.round(part * wholeShare));

/** A shard that has less than this part of what each should have gets rows of the others. */
const leastShare = 0.5;

/**
 * What makes all shards that are open have as many rows as each other: those that have less than half of that get what the
 * others have too much. Undefined: none has so few.
 * @param rows By shard; of those that are open.
 */
export const planEvening = (
  rows: ReadonlyMap<number, number>,
  closed: readonly number[],
): SpreadPlan | undefined => {
  const total = [...rows.values()].reduce((sum, own) => sum + own, 0);
  const fair = total / rows.size;
  const few = [...rows].filter(([, own]) => own < fair * leastShare);
  const many = [...rows].filter(([, own]) => own > fair);
  const wanted = few.reduce((sum, [, own]) => sum + fair - own, 0);
  const beyond = many.reduce((sum, [, own]) => sum + own - fair, 0);
  const leaving = new Map(
    many
      .map(([shard, own]) => [shard, shareOf(((own - fair) * wanted) / beyond / own)] as const)
      .filter(([, share]) => share > 0),
  );
  return few.length === 0 || leaving.size === 0
    ? undefined
    : { leaving, targets: few.map(([shard]) => shard), closed };
};

/** How far the shards are from having as many rows as each other. */
const unevenness = (rows: readonly number[]): number => {
  const fair = rows.reduce((sum, own) => sum + own, 0) / rows.length;
  return rows.reduce((sum, own) => sum + Math.abs(own - fair), 0);
};

/** What a move has to better, so that moves come to an end. */
const leastGain = 0.2;

/**
 * True where a plan brings the shards nearer to each other. Rows leave by turns of thousands: a small store may have none
 * that would, or only such as would make another shard as empty.
 */
export const betters = (rows: ReadonlyMap<number, number>, changes: ReadonlyMap<number, number>): boolean => {
  const after = [...rows].map(([shard, own]) => own + (changes.get(shard) ?? 0));
  return unevenness(after) <= unevenness([...rows.values()]) * (1 - leastGain);
};
