import pRetry from 'p-retry';
import type { AppError } from '../../lib/errors.js';

/**
 * Limits retries per upstream to a tenth of its requests, and a few more for quiet times. Otherwise an upstream in trouble would get three
 * times its load.
 */
export interface RetryBudget {
  /** Counts a first attempt. */
  earn(provider: string): void;
  /** Returns true if another retry is allowed, and counts it. */
  spend(provider: string): boolean;
}

const earnedPerRequest = 0.1;
const most = 10;

export const createRetryBudget = (): RetryBudget => {
  const left = new Map<string, number>();
  const leftOf = (provider: string): number => left.get(provider) ?? most;
  return {
    earn(provider) {
      left.set(provider, Math.min(most, leftOf(provider) + earnedPerRequest));
    },
    spend(provider) {
      if (leftOf(provider) < 1) return false;
      left.set(provider, leftOf(provider) - 1);
      return true;
    },
  };
};

/** Longest wait before a retry, also if the upstream asks for a longer one: then there is none. */
export const longestRetryWaitMs = 10_000;

/** Error of one attempt in `repeat`, with whether a retry may help. */
export class AttemptError extends Error {
  constructor(
    readonly error: AppError,
    readonly mayRepeat: boolean,
  ) {
    super(error.message);
    this.name = 'AttemptError';
  }
}

export interface RepeatOptions {
  readonly retries: number;
  /** First wait. It doubles with each retry, with jitter so that callers do not return together. */
  readonly firstWaitMs: number;
  /** False: no further attempt is made. */
  allowed(): boolean;
}

/** Retries `attempt` while its error says that this may help. Throws the last error unchanged. */
export const repeat = async <T>(
  attempt: () => Promise<T>,
  { retries, firstWaitMs, allowed }: RepeatOptions,
): Promise<T> => {
  try {
    return await pRetry(attempt, {
      retries,
      minTimeout: firstWaitMs,
      maxTimeout: longestRetryWaitMs,
      factor: 2,
      randomize: true,
      shouldRetry: ({ error }) => error instanceof AttemptError && error.mayRepeat && allowed(),
    });
  } catch (error) {
    throw error instanceof AttemptError ? error.error : error;
  }
};
