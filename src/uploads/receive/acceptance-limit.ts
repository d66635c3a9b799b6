import { createSemaphore } from '../../lib/semaphore/semaphore.js';

/** Runs statements that lock a dataset. @throws AppError 503 if they have waited too long */
export type AcceptanceLimit = <T>(datasetId: number, statements: () => Promise<T>) => Promise<T>;

/**
 * Limits the statements that accept uploads or register their columns, since both lock the dataset. While another session has the lock, the
 * uploads of a dataset wait with a quarter of the database connections, and those of all datasets with half of them: the rest is for all
 * other requests.
 */
export const createAcceptanceLimit = (connections: number): AcceptanceLimit => {
  const semaphore = createSemaphore({
    name: 'uploads to this dataset',
    code: 'backlog',
    maxRunning: Math.ceil(connections / 2),
    ownRunning: Math.ceil(connections / 4),
    queueLength: 10_000,
    maxWaitMs: 30_000,
    outlivesCaller: true,
    retryAfterSeconds: 1,
  });
  return (datasetId, statements) =>
    semaphore.run(String(datasetId), new AbortController().signal, statements);
};
