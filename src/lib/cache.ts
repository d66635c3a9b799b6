/** LRU cache, limited by the total weight of its values. */
export interface Cache<T> {
  /** Returns the value and marks it as used. */
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
  /** Total weight of all values. */
  weight(): number;
}

interface CacheOptions<T> {
  readonly limit: number;
  readonly weigh: (value: T) => number;
}

/** The most recent value stays, even above the limit. */
export const createCache = <T>({ limit, weigh }: CacheOptions<T>): Cache<T> => {
  /** Least recently used first. */
  const entries = new Map<string, { readonly value: T; readonly weight: number }>();
  let total = 0;

  const forget = (key: string): void => {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    delete: forget,
    weight: () => total,
    set(key, value) {
      forget(key);
      const weight = weigh(value);
      entries.set(key, { value, weight });
      total += weight;
      for (const oldest of entries.keys()) {
        if (total <= limit || oldest === key) break;
        forget(oldest);
      }
    },
  };
};
