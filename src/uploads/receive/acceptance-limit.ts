import { unavailable } from '../../lib/errors.js';
import { createKeyedLimit, type KeyedLimit } from '../../lib/semaphore/keyed-limit.js';

const message = 'Earlier uploads to this dataset have to be accepted first; try again later.';

/**
 * Limits the uploads of each dataset that are accepted, or whose columns are registered, at a time. Both lock the dataset: while another
 * session has the lock, the uploads wait with a few of the database connections, so that all other requests can use the rest.
 */
export const createAcceptanceLimit = (): KeyedLimit<number> =>
  createKeyedLimit({
    maxRunning: 4,
    maxWaitMs: 30_000,
    refuse: () => unavailable('backlog', message, { retryAfterSeconds: 1 }),
  });
