/**
 * One look for all who ask: those who come while it goes on, or within `keptMs` of its end, get the same answer. A look
 * that fails is told to those who waited for it and not kept.
 */
export const shareLooks = <T>(look: () => Promise<T>, keptMs: number): (() => Promise<T>) => {
  let shared: Promise<T> | undefined;
  const begin = async (): Promise<T> => {
    try {
      const found = await look();
      setTimeout(() => {
        shared = undefined;
      }, keptMs).unref();
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
