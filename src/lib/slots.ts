/** Gives a place back; exactly once however often it is called. */
export type Release = () => void;

/** Bounds how many things run at a time and shares the places among those who ask. */
export interface Slots {
  /**
   * Waits for a place. Of those who wait, who holds the fewest places is next, then who came first.
   * @param owner account, or address of an anonymous caller.
   * @throws what `refuse` gives when the queue is full or the wait too long, the signal's reason when it is aborted.
   */
  take(owner: string, signal: AbortSignal): Promise<Release>;
  readonly running: number;
  readonly waiting: number;
}

export interface SlotsOptions {
  readonly places: number;
  /** How many may wait. */
  readonly queueLength: number;
  /** Longest wait in the queue, in milliseconds. @default no limit */
  readonly maxWaitMs?: number;
  /** The error of those who get no place. */
  readonly refuse: () => Error;
}

interface Waiting {
  readonly owner: string;
  readonly start: (release: Release) => void;
}

export const createSlots = ({ places, queueLength, maxWaitMs, refuse }: SlotsOptions): Slots => {
  const held = new Map<string, number>();
  const queue: Waiting[] = [];
  let running = 0;

  const heldBy = (owner: string): number => held.get(owner) ?? 0;

  const occupy = (owner: string): Release => {
    running += 1;
    held.set(owner, heldBy(owner) + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      running -= 1;
      if (heldBy(owner) === 1) held.delete(owner);
      else held.set(owner, heldBy(owner) - 1);
      startNext();
    };
  };

  const startNext = (): void => {
    if (running >= places || queue.length === 0) return;
    let next = queue[0]!;
    for (const entry of queue) if (heldBy(entry.owner) < heldBy(next.owner)) next = entry;
    queue.splice(queue.indexOf(next), 1);
    next.start(occupy(next.owner));
  };

  const wait = (owner: string, signal: AbortSignal): Promise<Release> =>
    new Promise((resolve, reject) => {
      const leave = (error: unknown): void => {
        settle();
        queue.splice(queue.indexOf(entry), 1);
        reject(error);
      };
      const onAbort = (): void => leave(signal.reason);
      const timer = maxWaitMs === undefined ? undefined : setTimeout(() => leave(refuse()), maxWaitMs);
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const entry: Waiting = {
        owner,
        start: (release) => {
          settle();
          resolve(release);
        },
      };
      signal.addEventListener('abort', onAbort);
      queue.push(entry);
    });

  return {
    async take(owner, signal) {
      signal.throwIfAborted();
      if (running < places) return occupy(owner);
      if (queue.length >= queueLength) throw refuse();
      return wait(owner, signal);
    },
    get running() {
      return running;
    },
    get waiting() {
      return queue.length;
    },
  };
};
