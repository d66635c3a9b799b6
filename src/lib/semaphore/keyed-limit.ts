/** Limits concurrent work per key. */
export interface KeyedLimit<K> {
  /**
   * Runs work when fewer than `maxRunning` calls of its key are running. Calls of a key start in order.
   * @throws the error of `refuse` if the call has waited for `maxWaitMs`; the error of the work.
   */
  run<T>(key: K, work: () => Promise<T>): Promise<T>;
}

interface KeyedLimitOptions {
  readonly maxRunning: number;
  readonly maxWaitMs: number;
  /** Creates the error for a call that has waited too long. */
  readonly refuse: () => Error;
}

interface Calls {
  running: number;
  /** Each starts a waiting call. */
  readonly waiting: Set<() => void>;
}

export const createKeyedLimit = <K>({ maxRunning, maxWaitMs, refuse }: KeyedLimitOptions): KeyedLimit<K> => {
  const keys = new Map<K, Calls>();

  const waitIn = ({ waiting }: Calls): Promise<void> =>
    new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        waiting.delete(start);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(start);
        reject(refuse());
      }, maxWaitMs);
      waiting.add(start);
    });

  return {
    async run(key, work) {
      const calls = keys.get(key) ?? { running: 0, waiting: new Set() };
      keys.set(key, calls);
      if (calls.running < maxRunning) calls.running += 1;
      else await waitIn(calls);
      try {
        return await work();
      } finally {
        const [next] = calls.waiting;
        // The next call takes over the place of this one.
        if (next !== undefined) next();
        else calls.running -= 1;
        if (calls.running === 0) keys.delete(key);
      }
    },
  };
};
