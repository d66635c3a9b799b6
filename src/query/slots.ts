import { AppError } from '../lib/errors.js';
import { createSlots as createPlaces, type Slots } from '../lib/slots.js';

export type { Release, Slots } from '../lib/slots.js';

export interface SlotsOptions {
  /** Queries that run at a time. */
  readonly places: number;
  /** Queries that may wait for a place. */
  readonly queueLength: number;
  /** Longest wait in the queue, in milliseconds. */
  readonly maxWaitMs: number;
}

const retryAfterSeconds = 5;

const noPlace = (): AppError =>
  new AppError('unavailable', 'no_query_slot', 'Too many downloads run at the moment; try again shortly.', {
    retryAfterSeconds,
  });

/**
 * Places for queries. Who gets none is answered AppError `unavailable` with a time to retry after. An owner is an
 * account, or the address of an anonymous caller.
 */
export const createSlots = (options: SlotsOptions): Slots => createPlaces({ ...options, refuse: noPlace });
