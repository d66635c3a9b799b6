import { createPlaces, type Places } from '../../lib/places.js';

export interface UploadPlacesOptions {
  /** Uploads that are received at a time. */
  readonly places: number;
  readonly onRefused?: (what: 'refused' | 'lost') => void;
}

/** Uploads that wait for a place; each holds an open connection whose body nobody reads. */
const uploadsQueued = 1_000;

/** Longest wait for a place, in milliseconds. */
const longestWaitMs = 300_000;

/** An upload that waits for its client rests; it loses its seat after so long, when others wait for one. */
const restLimitMs = 5_000;

/** Places for uploads. Slow clients keep nobody from theirs. */
export const createUploadPlaces = ({ places, onRefused }: UploadPlacesOptions): Places =>
  createPlaces({
    name: 'uploads',
    code: 'no_upload_slot',
    places,
    seats: 2 * places,
    queueLength: uploadsQueued,
    maxWaitMs: longestWaitMs,
    restLimitMs,
    retryAfterSeconds: 10,
    ...(onRefused === undefined ? {} : { onRefused }),
  });
