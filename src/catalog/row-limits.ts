import { type AppError, conflict } from '../lib/errors.js';

/**
 * Limits on the number of items of one account or repository, since every list and every access check reads all of them. Plans limit
 * storage; these limits keep one account from slowing down all others.
 */
export const rowLimits = {
  repositories: 10_000,
  teams: 1_000,
  keys: 1_000,
  links: 1_000,
  datasets: 100_000,
} as const;

/** 409: the limit is reached. */
export const tooMany = (what: keyof typeof rowLimits, whose: string): AppError =>
  conflict(
    `too_many_${what}`,
    `${whose} has at most ${rowLimits[what].toLocaleString('en-US')} ${what}; remove some.`,
  );
