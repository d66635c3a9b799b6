import { createRandom } from '../harness/random.js';

export interface UploadOptions {
  readonly mode: 'replace' | 'append' | 'upsert';
  readonly quarantine: boolean;
  /** Mode append: allows wider types than those of the previous version. */
  readonly widen: boolean;
  /** Mode upsert: which row of a duplicate key in the file is used. */
  readonly duplicates: 'first' | 'last';
  /** Number of distinct keys in the file; undefined if keys are almost always unique. */
  readonly keys: number | undefined;
}

/** Deterministic for a seed, and independent of the file's content. */
export const uploadOptionsOf = (seed: number): UploadOptions => {
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

/** Query string of the upload. */
export const queryOf = ({ mode, quarantine, widen, duplicates }: UploadOptions): string =>
  new URLSearchParams({
    mode,
    ...(quarantine ? { onBadRow: 'quarantine' } : {}),
    ...(widen ? { onTypeConflict: 'widen' } : {}),
    ...(mode === 'upsert' ? { onDuplicateKey: duplicates } : {}),
  }).toString();
