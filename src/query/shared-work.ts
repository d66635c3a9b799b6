/** Work that several callers wait for: done once, and ended when the last of them has gone. */
interface SharedWork<T> {
  /**
   * @param signal Aborted when this caller stops waiting; the work continues for the others.
   * @param work Run by the first caller of a key; its signal is aborted when no caller waits any more.
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
    const begun: Running<T> = { result, stop, waiting: 0 };
    const forget = (): void => {
      if (running.get(key) === begun) running.delete(key);
    };
    result.then(forget, forget);
    running.set(key, begun);
    return begun;
  };

  return {
    run(key, signal, work) {
      signal.throwIfAborted();
      const joined = running.get(key) ?? begin(key, work);
      joined.waiting += 1;
      return new Promise<T>((resolve, reject) => {
        const leave = (): void => {
          signal.removeEventListener('abort', gone);
          joined.waiting -= 1;
        };
        const gone = (): void => {
          leave();
          reject(signal.reason as Error);
          if (joined.waiting > 0) return;
          // Later callers start again.
          if (running.get(key) === joined) running.delete(key);
          joined.stop.abort(signal.reason);
        };
        signal.addEventListener('abort', gone, { once: true });
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
