/**
 * Fair semaphore: bounds the work done at a time (downloads, comparisons, exports, uploads, event streams, calls to
 * providers, short requests) and shares it among owners.
 *
 *   permit   held by work from `acquire` to `release`. It is running, or paused while the holder only waits for its
 *            client. A paused permit does not count against `maxRunning`; it resumes at once, without queueing.
 *   queue    callers that wait for a permit, at most `maxWaitMs`. Next is the owner that runs the fewest, then the caller
 *            that has waited longest.
 *
 * A permit is released when its caller disconnects, unless the work outlives the caller. When `maxHeld` is reached and
 * others wait, the permit that has been paused longest is revoked.
 */
import { type AppError, unavailable } from '../errors.js';
import { createOwnerCounts } from './owner-counts.js';

/** A permit that is held. */
export interface Permit {
  /** Aborted when the permit is revoked; the reason is an AppError. */
  readonly revoked: AbortSignal;
  /** The holder starts to wait for its client. */
  idle(): void;
  /** The holder works again. Initial state. */
  busy(): void;
  /** Pauses the permit at once, until `busy`: the holder only waits for its client. */
  pause(): void;
  /** Idempotent. */
  release(): void;
}

export interface Semaphore {
  /**
   * Waits for a permit.
   * @param owner Account, address of an anonymous caller, or dataset.
   * @param signal Aborted when the caller disconnects.
   * @throws AppError 503 if the queue is full or the wait too long; the reason of the signal if it is aborted.
   */
  acquire(owner: string, signal: AbortSignal): Promise<Permit>;
  /** Runs work with a permit. @throws the errors of `acquire` and of the work. */
  run<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Permits that are running, including those above an owner's share. */
  readonly running: number;
  /** Permits whose holders wait for their clients. */
  readonly paused: number;
  /** Callers in the queue. */
  readonly waiting: number;
}

export interface SemaphoreOptions {
  /** Name in messages: `Too many <name> …`. */
  readonly name: string;
  /** Code of the error for a caller that does not get a permit. */
  readonly code: string;
  /** Maximum running permits. */
  readonly maxRunning: number;
  /** Maximum running permits of one owner. @default half of `maxRunning`, at least one */
  readonly ownRunning?: number;
  /** Maximum permits, running or paused. @default four times `maxRunning` */
  readonly maxHeld?: number;
  /** Maximum permits of one owner. @default half of `maxHeld`, at least one */
  readonly ownHeld?: number;
  /** Maximum callers in the queue; half of them may be of one owner. */
  readonly queueLength: number;
  /** Longest wait in the queue, milliseconds. */
  readonly maxWaitMs: number;
  /** True for work that continues after its caller has disconnected: the permit is kept until the work ends. @default false */
  readonly outlivesCaller?: boolean;
  /** Milliseconds after which a paused permit may be revoked. @default 2000 */
  readonly pauseLimitMs?: number;
  readonly retryAfterSeconds?: number;
  /** Called for each caller that did not get a permit, and for each permit that was revoked. */
  readonly onRefused?: (what: 'refused' | 'lost') => void;
}

/** Milliseconds between checks for idle holders. */
const tickMs = 250;
/** Fraction of a tick spent idle that pauses a permit, and fraction spent busy that resumes it. */
const pauseShare = 0.8;
const resumeShare = 0.5;

interface Holder {
  readonly owner: string;
  readonly revoked: AbortController;
  /** Start of its idle period; undefined while it is busy. */
  idleSince: number | undefined;
  /** Milliseconds of completed idle periods in this tick. */
  idleMs: number;
  pausedSince: number | undefined;
}

interface Waiting {
  readonly owner: string;
  start(): void;
}

const half = (count: number): number => Math.max(1, Math.ceil(count / 2));

export const createSemaphore = (options: SemaphoreOptions): Semaphore => {
  const { name, code, maxRunning, queueLength, maxWaitMs, pauseLimitMs = 2_000, onRefused } = options;
  const { ownRunning = half(maxRunning), maxHeld = maxRunning * 4, retryAfterSeconds = 5 } = options;
  const { ownHeld = half(maxHeld), outlivesCaller = false } = options;
  const owners = createOwnerCounts(ownRunning);
  const { change } = owners;
  const holders = new Set<Holder>();
  const queue: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let tickedAt = 0;

  const refused = (): AppError => {
    onRefused?.('refused');
    return unavailable(code, `Too many ${name} at the moment; try again shortly.`, {
      retryAfterSeconds,
    });
  };

  const leave = (holder: Holder): boolean => {
    if (!holders.delete(holder)) return false;
    change(holder.owner, { held: -1, running: holder.pausedSince === undefined ? -1 : 0 });
    return true;
  };

  const setPaused = (holder: Holder, since: number | undefined): void => {
    if ((holder.pausedSince === undefined) === (since === undefined)) return;
    holder.pausedSince = since;
    if (holders.has(holder)) change(holder.owner, { running: since === undefined ? 1 : -1 });
  };

  const grant = (owner: string, signal: AbortSignal): Permit => {
    const holder: Holder = {
      owner,
      revoked: new AbortController(),
      idleSince: undefined,
      idleMs: 0,
      pausedSince: undefined,
    };
    holders.add(holder);
    change(owner, { running: 1, held: 1 });
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
    let paused = false;
    return {
      revoked: holder.revoked.signal,
      idle,
      pause: () => {
        paused = true;
        idle();
        setPaused(holder, performance.now());
        startNext();
      },
      busy: () => {
        if (paused) {
          paused = false;
          holder.idleMs = 0;
          setPaused(holder, undefined);
        } else if (holder.idleSince !== undefined) holder.idleMs += performance.now() - holder.idleSince;
        holder.idleSince = undefined;
      },
      release,
    };
  };

  /** Revokes the permit that has been paused longest, of the given owner or of any. */
  const revoke = (owner: string | undefined): boolean => {
    const until = performance.now() - pauseLimitMs;
    let longest: Holder | undefined;
    for (const holder of holders) {
      const { pausedSince } = holder;
      if (pausedSince === undefined || pausedSince > until) continue;
      if (owner !== undefined && holder.owner !== owner) continue;
      if (longest?.pausedSince === undefined || pausedSince < longest.pausedSince) longest = holder;
    }
    if (longest === undefined || !leave(longest)) return false;
    onRefused?.('lost');
    const message = 'The connection was too slow while others waited; try again, or request less at a time.';
    longest.revoked.abort(unavailable('slot_lost', message, { retryAfterSeconds }));
    return true;
  };

  const mayRun = (owner: string): boolean =>
    owners.of(owner).running < ownRunning && owners.occupied() < maxRunning;
  const mayHold = (owner: string): boolean => {
    if (owners.of(owner).held >= ownHeld && !revoke(owner)) return false;
    return holders.size < maxHeld || revoke(undefined);
  };

  const nextWaiting = (without: ReadonlySet<string>): Waiting | undefined => {
    let next: Waiting | undefined;
    let fewest = ownRunning;
    for (const entry of queue) {
      const count = owners.of(entry.owner).running;
      if (count >= fewest || without.has(entry.owner)) continue;
      next = entry;
      fewest = count;
    }
    return next;
  };

  const startNext = (): void => {
    const atHeldLimit = new Set<string>();
    while (queue.length > 0 && owners.occupied() < maxRunning) {
      const next = nextWaiting(atHeldLimit);
      if (next === undefined) return;
      if (mayHold(next.owner)) {
        queue.splice(queue.indexOf(next), 1);
        next.start();
      } else atHeldLimit.add(next.owner);
    }
  };

  const updateState = (holder: Holder, now: number, tookMs: number): void => {
    const idleMs = holder.idleMs + (holder.idleSince === undefined ? 0 : now - holder.idleSince);
    const share = idleMs / tookMs;
    holder.idleMs = 0;
    if (holder.idleSince !== undefined) holder.idleSince = now;
    if (holder.pausedSince === undefined && share >= pauseShare) setPaused(holder, now);
    else if (holder.pausedSince !== undefined && 1 - share >= resumeShare) setPaused(holder, undefined);
  };

  const tick = (): void => {
    const now = performance.now();
    for (const holder of holders) updateState(holder, now, now - tickedAt);
    tickedAt = now;
    startNext();
    if (holders.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const wait = (owner: string, signal: AbortSignal): Promise<Permit> =>
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
          const permit = grant(owner, signal);
          settle();
          resolve(permit);
        },
      };
      signal.addEventListener('abort', onAbort);
      change(owner, { waiting: 1 });
      queue.push(entry);
    });

  const acquire = async (owner: string, signal: AbortSignal): Promise<Permit> => {
    signal.throwIfAborted();
    if (mayRun(owner) && mayHold(owner)) return grant(owner, signal);
    const mine = owners.of(owner).waiting;
    if (queue.length >= queueLength || mine >= half(queueLength)) throw refused();
    return wait(owner, signal);
  };

  return {
    acquire,
    async run(owner, signal, work) {
      const permit = await acquire(owner, signal);
      try {
        return await work();
      } finally {
        permit.release();
      }
    },
    get running() {
      return owners.running();
    },
    get paused() {
      return holders.size - owners.running();
    },
    get waiting() {
      return queue.length;
    },
  };
};
