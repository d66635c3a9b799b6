import { createSemaphore, type Semaphore } from '../../lib/semaphore/semaphore.js';

interface UploadSemaphoreOptions {
  /** Uploads that are received at a time. */
  readonly maxRunning: number;
  readonly onRefused: (what: 'refused' | 'lost') => void;
}

/** Most uploads that wait for a permit. Each has an open connection whose body is not read. */
const uploadsQueued = 1_000;

/** Longest wait for a permit, in milliseconds. */
const longestWaitMs = 300_000;

/** An upload that has waited for its client for this many milliseconds loses its permit if others need one. */
const pauseLimitMs = 5_000;

/** Semaphore for uploads. The permits of slow clients are paused. */
export const createUploadSemaphore = ({ maxRunning, onRefused }: UploadSemaphoreOptions): Semaphore =>
  createSemaphore({
    name: 'uploads',
    code: 'no_upload_slot',
    maxRunning,
    maxHeld: 2 * maxRunning,
    queueLength: uploadsQueued,
    maxWaitMs: longestWaitMs,
    pauseLimitMs,
    retryAfterSeconds: 10,
    onRefused,
  });
