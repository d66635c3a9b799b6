import { createSemaphore, type Semaphore, type SemaphoreOptions } from '../../src/lib/semaphore/semaphore.js';

/** The API's query semaphore with the limits of a test. By default slow readers keep their permits. */
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
