/** Seeded pseudo-random number generator (mulberry32). */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns an integer from `from` to `to`, both inclusive. */
  between(from: number, to: number): number;
  /** Returns an integer from 0 (inclusive) to `bound` (exclusive). */
  below(bound: number): number;
  /** Returns true with the given probability. */
  chance(probability: number): boolean;
  /** Returns one of the items. */
  pick<T>(items: readonly T[]): T;
  /** Returns one of the names, with probability proportional to its weight. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T;
}

export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(next() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  };
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    below: (bound) => Math.floor(next() * bound),
    chance: (probability) => next() < probability,
    pick,
    weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
      const entries = Object.entries(weights) as [T, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return pick(entries)[0];
    },
  };
};
