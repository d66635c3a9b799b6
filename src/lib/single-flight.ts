/**
 * Runs `work` once for all concurrent callers: a call during a run, or within `keptMs` of its end, gets the same result. An error is thrown
 * to the waiting callers and is not kept.
 */
export const singleFlight = <T>(work: () => Promise<T>, keptMs: number): (() => Promise<T>) => {
  let shared: Promise<T> | undefined;
  const begin = async (): Promise<T> => {
    try {
      const result = await work();
      setTimeout(() => {
        shared = undefined;
      }, keptMs).unref();
      return result;
    } catch (error) {
      shared = undefined;
      throw error;
    }
  };
  return () => {
    shared ??= begin();
    return shared;
  };
};
