/**
 * Places for work that is done for somebody: the one mechanism by which downloads, counts, comparisons, exports, uploads,
 * event streams, calls to providers and short requests are shared among those who ask.
 *
 *   place   work that runs. An owner runs at most `ownPlaces` at a time.
 *   seat    work that was begun, whether it runs or rests. It rests while it does nothing but wait for its client, and
 *           then its place is another's; when it goes on it has its place back at once.
 *   queue   who finds no place waits, at most `maxWaitMs`. Next is who runs the fewest, then who came first.
 *
 * A place is given back when its caller is gone, whatever is still awaited then, unless the work goes on without them.
 * When others wait and all seats are taken, the one that rests for longest loses its seat.
 */
import { AppError } from './errors.js';
import { createOwnerCounts } from './owner-counts.js';

/** A place that is held. */
export interface Place {
  /** Aborted when the seat was taken away; the reason is an AppError. */
  readonly lost: AbortSignal;
  /** From now on the holder waits for its client. */
  idle(): void;
  /** From now on the holder works. A new place begins so. */
  busy(): void;
  /** From now on, until `busy`, the holder does nothing but wait for its client: the place is another's at once. */
  rest(): void;
  /** Gives the place back; exactly once however often it is called. */
  release(): void;
}

export interface Places {
  /**
   * Waits for a place.
   * @param owner account, or address of an anonymous caller.
   * @param signal aborted when the caller is gone.
   * @throws AppError 503 when the queue is full or the wait too long; the signal's reason when it is aborted.
   */
  take(owner: string, signal: AbortSignal): Promise<Place>;
  /** Does work that ends by itself in a place. @throws what `take` and the work throw. */
  run<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Holders that run, beyond the share of an owner included. */
  readonly running: number;
  /** Holders that wait for their clients. */
  readonly resting: number;
  /** Callers in the queue. */
  readonly waiting: number;
}

export interface PlacesOptions {
  /** Name in messages: `Too many <name> …`. */
  readonly name: string;
  /** Code of the error of those who get no place. */
  readonly code: string;
  readonly places: number;
  /** @default half of the places, and at least one */
  readonly ownPlaces?: number;
  /** @default four times the places */
  readonly seats?: number;
  /** @default half of the seats, and at least one */
  readonly ownSeats?: number;
  /** How many may wait; of one owner half of them. */
  readonly queueLength: number;
  /** Longest wait in the queue, milliseconds. */
  readonly maxWaitMs: number;
  /** True for work that goes on when its caller is gone: its place is kept until it is done. @default false */
  readonly outlivesCaller?: boolean;
  /** Milliseconds of rest after which a seat may be taken away. @default 2000 */
  readonly restLimitMs?: number;
  readonly retryAfterSeconds?: number;
  /** Called for each caller who got no place and each holder who lost one. */
  readonly onRefused?: (what: 'refused' | 'lost') => void;
}

/** How often is looked at who rests. */
const tickMs = 250;
/** Shares of a tick spent idle at which a holder begins to rest, and at which it goes on. */
const restShare = 0.8;
const wakeShare = 0.5;

interface Holder {
  readonly owner: string;
  readonly lost: AbortController;
  /** Since when it has been idle, milliseconds; undefined while it is busy. */
  idleSince: number | undefined;
  /** Idle milliseconds of this tick that are over. */
  idleMs: number;
  restingSince: number | undefined;
}

interface Waiting {
  readonly owner: string;
  start(): void;
}

const half = (count: number): number => Math.max(1, Math.ceil(count / 2));

export const createPlaces = (options: PlacesOptions): Places => {
  const { name, code, places, queueLength, maxWaitMs, restLimitMs = 2_000, onRefused } = options;
  const { ownPlaces = half(places), seats = places * 4, retryAfterSeconds = 5 } = options;
  const { ownSeats = half(seats), outlivesCaller = false } = options;
  const owners = createOwnerCounts(ownPlaces);
  const { change } = owners;
  const holders = new Set<Holder>();
  const queue: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let tickedAt = 0;

  const refused = (): AppError => {
    onRefused?.('refused');
    return new AppError('unavailable', code, `Too many ${name} at the moment; try again shortly.`, {
      retryAfterSeconds,
    });
  };

  const leave = (holder: Holder): boolean => {
    if (!holders.delete(holder)) return false;
    change(holder.owner, { seats: -1, running: holder.restingSince === undefined ? -1 : 0 });
    return true;
  };

  const setResting = (holder: Holder, since: number | undefined): void => {
    if ((holder.restingSince === undefined) === (since === undefined)) return;
    holder.restingSince = since;
    if (holders.has(holder)) change(holder.owner, { running: since === undefined ? 1 : -1 });
  };

  const occupy = (owner: string, signal: AbortSignal): Place => {
    const holder: Holder = {
      owner,
      lost: new AbortController(),
      idleSince: undefined,
      idleMs: 0,
      restingSince: undefined,
    };
    holders.add(holder);
    change(owner, { running: 1, seats: 1 });
    if (timer === undefined) {
      tickedAt = performance.now();
      timer = setInterval(tick, tickMs).unref();
    }
    const idle = (): void => {
      holder.idleSince ??= performance.now();
    };
    const release = (): void => {
      signal.removeEventListener('abort', release);
      if (leave(holder)) startNext();
    };
    if (!outlivesCaller) signal.addEventListener('abort', release, { once: true });
    let resting = false;
    return {
      lost: holder.lost.signal,
      idle,
      rest: () => {
        resting = true;
        idle();
        setResting(holder, performance.now());
        startNext();
      },
      busy: () => {
        if (resting) {
          resting = false;
          holder.idleMs = 0;
          setResting(holder, undefined);
        } else if (holder.idleSince !== undefined) holder.idleMs += performance.now() - holder.idleSince;
        holder.idleSince = undefined;
      },
      release,
    };
  };

  /** Takes the seat of whoever has rested for longest, of the given owner or of anybody. */
  const evict = (owner: string | undefined): boolean => {
    const until = performance.now() - restLimitMs;
    let longest: Holder | undefined;
    for (const holder of holders) {
      const { restingSince } = holder;
      if (restingSince === undefined || restingSince > until) continue;
      if (owner !== undefined && holder.owner !== owner) continue;
      if (longest?.restingSince === undefined || restingSince < longest.restingSince) longest = holder;
    }
    if (longest === undefined || !leave(longest)) return false;
    onRefused?.('lost');
    const message = 'The connection was too slow while others waited; try again, or ask for less at a time.';
    longest.lost.abort(new AppError('unavailable', 'place_lost', message, { retryAfterSeconds }));
    return true;
  };

  const hasPlace = (owner: string): boolean =>
    owners.of(owner).running < ownPlaces && owners.occupied() < places;
  const hasSeat = (owner: string): boolean => {
    if (owners.of(owner).seats >= ownSeats && !evict(owner)) return false;
    return holders.size < seats || evict(undefined);
  };

  const nextWaiting = (without: ReadonlySet<string>): Waiting | undefined => {
    let next: Waiting | undefined;
    let fewest = ownPlaces;
    for (const entry of queue) {
      const count = owners.of(entry.owner).running;
      if (count >= fewest || without.has(entry.owner)) continue;
      next = entry;
      fewest = count;
    }
    return next;
  };

  const startNext = (): void => {
    const seatless = new Set<string>();
    while (queue.length > 0 && owners.occupied() < places) {
      const next = nextWaiting(seatless);
      if (next === undefined) return;
      if (hasSeat(next.owner)) {
        queue.splice(queue.indexOf(next), 1);
        next.start();
      } else seatless.add(next.owner);
    }
  };

  const look = (holder: Holder, now: number, tookMs: number): void => {
    const idleMs = holder.idleMs + (holder.idleSince === undefined ? 0 : now - holder.idleSince);
    const share = idleMs / tookMs;
    holder.idleMs = 0;
    if (holder.idleSince !== undefined) holder.idleSince = now;
    if (holder.restingSince === undefined && share >= restShare) setResting(holder, now);
    else if (holder.restingSince !== undefined && 1 - share >= wakeShare) setResting(holder, undefined);
  };

  const tick = (): void => {
    const now = performance.now();
    for (const holder of holders) look(holder, now, now - tickedAt);
    tickedAt = now;
    startNext();
    if (holders.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const wait = (owner: string, signal: AbortSignal): Promise<Place> =>
    new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(tooLong);
        signal.removeEventListener('abort', onAbort);
        change(owner, { waiting: -1 });
      };
      const giveUp = (error: unknown): void => {
        queue.splice(queue.indexOf(entry), 1);
        settle();
        reject(error);
      };
      const onAbort = (): void => giveUp(signal.reason);
      const tooLong = setTimeout(() => giveUp(refused()), maxWaitMs);
      const entry: Waiting = {
        owner,
        start: () => {
          const place = occupy(owner, signal);
          settle();
          resolve(place);
        },
      };
      signal.addEventListener('abort', onAbort);
      change(owner, { waiting: 1 });
      queue.push(entry);
    });

  const take = async (owner: string, signal: AbortSignal): Promise<Place> => {
    signal.throwIfAborted();
    if (hasPlace(owner) && hasSeat(owner)) return occupy(owner, signal);
    const mine = owners.of(owner).waiting;
    if (queue.length >= queueLength || mine >= half(queueLength)) throw refused();
    return wait(owner, signal);
  };

  return {
    take,
    async run(owner, signal, work) {
      const place = await take(owner, signal);
      try {
        return await work();
      } finally {
        place.release();
      }
    },
    get running() {
      return owners.running();
    },
    get resting() {
      return holders.size - owners.running();
    },
    get waiting() {
      return queue.length;
    },
  };
};
