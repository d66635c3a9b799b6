import pRetry from 'p-retry';
import type { AppError } from '../../lib/errors.js';

/**
 * How many retries an upstream may cost: a tenth of its requests, and a few more for quiet times. Without
 * it, an upstream in trouble would get three times its load.
 */
export interface RetryBudget {
  /** Counts a first attempt. */
  earn(provider: string): void;
  /** True when one more retry is allowed; counts it. */
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

/** An error that is thrown inside of `repeat`; says whether a retry may help. */
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
  /** First wait; doubled each time, and spread so that many callers do not come back together. */
  readonly firstWaitMs: number;
  /** Whether one more attempt may be made at all. */
  allowed(): boolean;
}

/** Runs `attempt` again when it says that this may help; throws the last error as it was. */
export const repeat = async <T>(
  attempt: () => Promise<T>,
  { retries, firstWaitMs, allowed }: RepeatOptions,
): Promise<T> => {
  try {
    return await pRetry(attempt, {
      retries,
      minTimeout: firstWaitMs,
      maxTimeout: 10_000,
      factor: 2,
      randomize: true,
      shouldRetry: ({ error }) => error instanceof AttemptError && error.mayRepeat && allowed(),
    });
  } catch (error) {
    throw error instanceof AttemptError ? error.error : error;
  }
};
