/** How long an answer is kept: a time, or one that follows from how long the look took. */
type KeptMs = number | ((tookMs: number) => number);

/**
 * One look for all who ask: those who come while it goes on, or within `keptMs` of its end, get the same answer. A look
 * that fails is told to those who waited for it and not kept.
 */
export const shareLooks = <T>(look: () => Promise<T>, keptMs: KeptMs): (() => Promise<T>) => {
  let shared: Promise<T> | undefined;
  const begin = async (): Promise<T> => {
    const startedAt = performance.now();
    try {
      const found = await look();
      const kept = typeof keptMs === 'number' ? keptMs : keptMs(performance.now() - startedAt);
      setTimeout(() => {
        shared = undefined;
      }, kept).unref();
      return found;
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
