import { createSemaphore, type Semaphore, type SemaphoreOptions } from '../../src/lib/semaphore/semaphore.js';

/** Semaphore for queries as the API has them, in the numbers of a test. Slow readers keep their permits unless it says otherwise. */
export const querySemaphore = (
  options: Pick<SemaphoreOptions, 'maxRunning' | 'queueLength' | 'maxWaitMs'> & Partial<SemaphoreOptions>,
): Semaphore =>
  createSemaphore({
    name: 'downloads',
    code: 'no_query_slot',
    ownRunning: options.maxRunning,
    maxHeld: options.maxRunning,
    ownHeld: options.maxRunning,
    pauseLimitMs: 600_000,
    ...options,
  });
