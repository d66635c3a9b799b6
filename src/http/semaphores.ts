import { createSemaphore, type Semaphore } from '../lib/semaphore/semaphore.js';

/**
 * Kinds of work that handlers do. Each kind has a semaphore.
 *
 *   requests   short work: a few statements of PostgreSQL
 *   queries    work of ClickHouse for as long as the answer is read
 *   calls      waits for a provider
 *   files      sends export files
 *   events     stays open and sends an event occasionally
 *   own        starts as a short request, and acquires a permit itself when it needs one
 *   none       needs no permit
 */
export type PermitKind = 'requests' | 'queries' | 'calls' | 'files' | 'events' | 'own' | 'none';

/** Semaphore of each kind. `calculations`: heavy queries until their first row, each of which also holds a permit of `queries`. */
export type Semaphores = Readonly<Record<Exclude<PermitKind, 'own' | 'none'> | 'calculations', Semaphore>>;

export interface SemaphoreLimits {
  readonly requests: number;
  readonly queries: { readonly maxRunning: number; readonly queueLength: number };
  readonly calls: number;
  readonly files: number;
  readonly events: number;
  /** Milliseconds that requests wait for a permit: short ones, and those that ClickHouse, a provider or a file answers. */
  readonly waitMs: { readonly requests: number; readonly answers: number };
  readonly onRefused?: (kind: keyof Semaphores, what: 'refused' | 'lost') => void;
}

export const defaultSemaphoreLimits: SemaphoreLimits = {
  requests: 16,
  queries: { maxRunning: 16, queueLength: 64 },
  calls: 64,
  files: 64,
  events: 256,
  waitMs: { requests: 15_000, answers: 30_000 },
};

const atLeastOne = (count: number): number => Math.max(1, Math.floor(count));

export const createSemaphores = (options: SemaphoreLimits): Semaphores => {
  const { requests, queries, calls, files, events, waitMs } = options;
  const reporting = (kind: keyof Semaphores) => ({
    onRefused: (what: 'refused' | 'lost') => options.onRefused?.(kind, what),
  });
  return {
    // One process works on one request at a time. A few in flight keep it busy; more of one owner only delay others.
    requests: createSemaphore({
      ...reporting('requests'),
      name: 'requests',
      code: 'no_request_slot',
      maxRunning: requests,
      ownRunning: atLeastOne(requests / 4),
      // Requests whose body is still arriving can wait in the queue.
      maxHeld: 64 * requests,
      queueLength: 64 * requests,
      maxWaitMs: waitMs.requests,
      retryAfterSeconds: 2,
      // PostgreSQL continues a statement after its caller has disconnected.
      outlivesCaller: true,
    }),
    queries: createSemaphore({
      ...reporting('queries'),
      name: 'downloads',
      code: 'no_query_slot',
      ...queries,
      // Each query uses all the cores that ClickHouse gives it, so an owner who runs many of them leaves little for others.
      ownRunning: atLeastOne(queries.maxRunning / 4),
      maxWaitMs: waitMs.answers,
    }),
    calculations: createSemaphore({
      ...reporting('calculations'),
      name: 'calculations',
      code: 'no_query_slot',
      maxRunning: atLeastOne(queries.maxRunning / 4),
      // Two, so that a slow query of an account does not delay its quick ones.
      ownRunning: atLeastOne(queries.maxRunning / 8),
      queueLength: 4 * queries.maxRunning,
      maxWaitMs: waitMs.answers,
    }),
    calls: createSemaphore({
      ...reporting('calls'),
      name: 'questions to providers',
      code: 'no_call_slot',
      maxRunning: calls,
      ownRunning: atLeastOne(calls / 4),
      queueLength: 4 * calls,
      maxWaitMs: waitMs.answers,
    }),
    files: createSemaphore({
      ...reporting('files'),
      name: 'files',
      code: 'no_file_slot',
      maxRunning: files,
      maxHeld: 2 * files,
      queueLength: 4 * files,
      maxWaitMs: waitMs.answers,
    }),
    events: createSemaphore({
      ...reporting('events'),
      name: 'event streams',
      code: 'no_event_slot',
      maxRunning: events,
      ownRunning: atLeastOne(events / 8),
      maxHeld: events,
      ownHeld: atLeastOne(events / 8),
      queueLength: 0,
      maxWaitMs: 0,
    }),
  };
};
