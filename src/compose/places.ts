import { createRoutePlaces, type RoutePlaces } from '../http/places.js';
import type { Core } from './core.js';

/** Places of an API process, as the settings say. */
export const createPlacesOfRoutes = ({ config, metrics }: Core): RoutePlaces => {
  const places = createRoutePlaces({
    requests: config.requestsInFlight,
    queries: { places: config.queriesInFlight, queueLength: config.queriesQueued },
    calls: config.providerCallsInFlight,
    files: config.filesInFlight,
    events: config.eventStreams,
    onRefused: (kind, what) => metrics.placesRefused.inc({ kind, what }),
  });
  for (const [kind, each] of Object.entries(places)) metrics.watchPlaces(kind, each);
  return places;
};
