import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from './outage.js';

const pauseMs = 500;

/**
 * Repeats an idempotent step while its server cannot be reached, or while its answers are lost.
 * @param forMs Time after which no further attempt starts. @default unlimited
 * @throws the error of the last attempt
 */
export const retryInOutage = async <T>(
  step: () => Promise<T>,
  forMs = Number.POSITIVE_INFINITY,
): Promise<T> => {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!isOutage(error) || performance.now() - startedAt >= forMs) throw error;
    }
    // Does not keep a process alive that is shutting down.
    await sleep(pauseMs, undefined, { ref: false });
  }
};
