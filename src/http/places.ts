import { createPlaces, type Places } from '../lib/places.js';

/**
 * Kinds of work of handlers, by which they get places.
 *
 *   requests   short work: a few questions to PostgreSQL
 *   queries    work of ClickHouse for as long as the answer is read
 *   calls      waits for a provider
 *   files      sends export files
 *   events     stays open, and says something now and then
 *   own        begins as a short request, and takes a place itself when it knows that it needs one
 *   none       is answered whatever happens
 */
export type PlaceKind = 'requests' | 'queries' | 'calls' | 'files' | 'events' | 'own' | 'none';

/** Places of each kind. `calculations`: heavy queries until their first row, each within one of `queries`. */
export type RoutePlaces = Readonly<Record<Exclude<PlaceKind, 'own' | 'none'> | 'calculations', Places>>;

export interface RoutePlacesOptions {
  readonly requests: number;
  readonly queries: { readonly places: number; readonly queueLength: number };
  readonly calls: number;
  readonly files: number;
  readonly events: number;
  /** Milliseconds that requests wait for a place, and what is answered by ClickHouse, a provider or a file. */
  readonly waitMs: { readonly requests: number; readonly answers: number };
  readonly onRefused?: (kind: keyof RoutePlaces, what: 'refused' | 'lost') => void;
}

export const defaultPlaces: RoutePlacesOptions = {
  requests: 16,
  queries: { places: 16, queueLength: 64 },
  calls: 64,
  files: 64,
  events: 256,
  waitMs: { requests: 15_000, answers: 30_000 },
};

const atLeastOne = (count: number): number => Math.max(1, Math.floor(count));

export const createRoutePlaces = (options: RoutePlacesOptions): RoutePlaces => {
  const { requests, queries, calls, files, events, waitMs } = options;
  const told = (kind: keyof RoutePlaces) => ({
    onRefused: (what: 'refused' | 'lost') => options.onRefused?.(kind, what),
  });
  return {
    // One process works on one request at a time, whatever is in flight: few of them keep it busy, and whoever has more
    // than a few only makes others wait.
    requests: createPlaces({
      ...told('requests'),
      name: 'requests',
      code: 'no_request_place',
      places: requests,
      ownPlaces: atLeastOne(requests / 4),
      // Requests whose body is still on its way wait.
      seats: 64 * requests,
      queueLength: 64 * requests,
      maxWaitMs: waitMs.requests,
      retryAfterSeconds: 2,
      // PostgreSQL goes on with what was begun.
      outlivesCaller: true,
    }),
    queries: createPlaces({
      ...told('queries'),
      name: 'downloads',
      code: 'no_query_slot',
      ...queries,
      // Each query takes all the cores that ClickHouse gives it: whoever runs many of them leaves others little.
      ownPlaces: atLeastOne(queries.places / 4),
      maxWaitMs: waitMs.answers,
    }),
    calculations: createPlaces({
      ...told('calculations'),
      name: 'calculations',
      code: 'no_query_slot',
      places: atLeastOne(queries.places / 4),
      // Two, so that a slow query of an account does not hold up its quick ones.
      ownPlaces: atLeastOne(queries.places / 8),
      queueLength: 4 * queries.places,
      maxWaitMs: waitMs.answers,
    }),
    calls: createPlaces({
      ...told('calls'),
      name: 'questions to providers',
      code: 'no_call_place',
      places: calls,
      ownPlaces: atLeastOne(calls / 4),
      queueLength: 4 * calls,
      maxWaitMs: waitMs.answers,
    }),
    files: createPlaces({
      ...told('files'),
      name: 'files',
      code: 'no_file_place',
      places: files,
      seats: 2 * files,
      queueLength: 4 * files,
      maxWaitMs: waitMs.answers,
    }),
    events: createPlaces({
      ...told('events'),
      name: 'event streams',
      code: 'no_event_place',
      places: events,
      ownPlaces: atLeastOne(events / 8),
      seats: events,
      ownSeats: atLeastOne(events / 8),
      queueLength: 0,
      maxWaitMs: 0,
    }),
  };
};
