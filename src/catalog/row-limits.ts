import { type AppError, conflict } from '../lib/errors.js';

/**
 * Most things that one account, or one repository, may have: every list, and every check of rights, reads all of them.
 * Plans limit what costs storage; these limits keep one account from slowing down all others.
 */
export const rowLimits = {
  repositories: 10_000,
  teams: 1_000,
  keys: 1_000,
  links: 1_000,
  datasets: 100_000,
} as const;

/** 409: there are as many as there may be. */
export const tooMany = (what: keyof typeof rowLimits, whose: string): AppError =>
  conflict(
    `too_many_${what}`,
    `${whose} has at most ${rowLimits[what].toLocaleString('en-US')} ${what}; remove some.`,
  );
