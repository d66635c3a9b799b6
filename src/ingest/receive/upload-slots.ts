import { AppError } from '../../lib/errors.js';
import { createSlots, type Slots } from '../../lib/slots.js';

/** Uploads that wait for a place; each holds an open connection whose body nobody reads. */
const uploadsQueued = 1_000;

/** Places for uploads; whoever holds the fewest is next. */
export const createUploadSlots = (places: number): Slots =>
  createSlots({
    places,
    queueLength: uploadsQueued,
    refuse: () =>
      new AppError(
        'unavailable',
        'no_upload_slot',
        'Too many uploads wait at the moment; try again shortly.',
        {
          retryAfterSeconds: 10,
        },
      ),
  });
