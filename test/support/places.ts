import { createPlaces, type Places, type PlacesOptions } from '../../src/lib/places.js';

/** Places for queries as the API has them, in the numbers of a test; whoever reads slowly keeps them unless it says otherwise. */
export const queryPlaces = (
  options: Pick<PlacesOptions, 'places' | 'queueLength' | 'maxWaitMs'> & Partial<PlacesOptions>,
): Places =>
  createPlaces({
    name: 'downloads',
    code: 'no_query_slot',
    ownPlaces: options.places,
    seats: options.places,
    ownSeats: options.places,
    restLimitMs: 600_000,
    ...options,
  });
