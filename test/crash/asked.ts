import { createRandom } from '../harness/random.js';

/** Options of an upload. */
export interface Asked {
  readonly mode: 'replace' | 'append' | 'upsert';
  readonly quarantine: boolean;
  /** Mode append: types may become wider than those of the version before. */
  readonly widen: boolean;
  /** Mode upsert: which of equal keys of the file counts. */
  readonly duplicates: 'first' | 'last';
  /** Number of different keys in the file; undefined: keys hardly ever meet. */
  readonly keys: number | undefined;
}

/** Always the same for a seed; drawn apart from the file's content. */
export const askedOf = (seed: number): Asked => {
  const random = createRandom(seed ^ 0x5eed);
  const mode = random.weighted({ replace: 55, append: 27, upsert: 18 });
  return {
    mode,
    quarantine: random.chance(0.3),
    widen: mode === 'append' && random.chance(0.4),
    duplicates: random.chance(0.3) ? 'first' : 'last',
    keys: random.chance(0.5) ? random.pick([20, 500, 5_000]) : undefined,
  };
};

/** As the query of an upload's address. */
export const queryOf = ({ mode, quarantine, widen, duplicates }: Asked): string =>
  new URLSearchParams({
    mode,
    ...(quarantine ? { onBadRow: 'quarantine' } : {}),
    ...(widen ? { onTypeConflict: 'widen' } : {}),
    ...(mode === 'upsert' ? { onDuplicateKey: duplicates } : {}),
  }).toString();
