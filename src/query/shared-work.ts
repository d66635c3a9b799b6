/** Runs work once for concurrent callers of a key, and aborts it when the last of them stops waiting. */
interface SharedWork<T> {
  /**
   * @param signal of this caller; the work continues for the others
   * @param work run for the first caller; its signal is aborted when no caller waits any more
   */
  run(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Running<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

export const createSharedWork = <T>(): SharedWork<T> => {
  const running = new Map<string, Running<T>>();

  const begin = (key: string, work: (signal: AbortSignal) => Promise<T>): Running<T> => {
    const stop = new AbortController();
    const result = work(stop.signal);
    const started: Running<T> = { result, stop, waiting: 0 };
    const forget = (): void => {
      if (running.get(key) === started) running.delete(key);
    };
    result.then(forget, forget);
    running.set(key, started);
    return started;
  };

  return {
    run(key, signal, work) {
      signal.throwIfAborted();
      const joined = running.get(key) ?? begin(key, work);
      joined.waiting += 1;
      return new Promise<T>((resolve, reject) => {
        const leave = (): void => {
          signal.removeEventListener('abort', onAbort);
          joined.waiting -= 1;
        };
        const onAbort = (): void => {
          leave();
          reject(signal.reason as Error);
          if (joined.waiting > 0) return;
          // A later caller must not join aborted work.
          if (running.get(key) === joined) running.delete(key);
          joined.stop.abort(signal.reason);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        joined.result.then(
          (value) => {
            leave();
            resolve(value);
          },
          (error: unknown) => {
            leave();
            reject(error as Error);
          },
        );
      });
    },
  };
};
