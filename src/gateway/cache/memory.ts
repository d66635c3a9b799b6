/** A cache entry, in memory or in PostgreSQL. */
export interface Kept {
  readonly body: string;
  readonly storedAtMs: number;
  readonly freshUntilMs: number;
}

/** LRU cache of answers, bounded in bytes, in front of the database. */
export interface Memory {
  get(key: string): Kept | undefined;
  set(key: string, kept: Kept): void;
  readonly bytes: number;
}

/** Characters take two bytes at most; 200 for what surrounds an entry. */
const sizeOf = (key: string, { body }: Kept): number => 2 * (body.length + key.length) + 200;

export const createMemory = (maxBytes: number): Memory => {
  // A Map iterates in the order of insertion: the first entry is the one that was used longest ago.
  const entries = new Map<string, Kept>();
  let bytes = 0;

  const remove = (key: string): void => {
    const kept = entries.get(key);
    if (kept === undefined) return;
    entries.delete(key);
    bytes -= sizeOf(key, kept);
  };

  return {
    get(key) {
      const kept = entries.get(key);
      if (kept !== undefined) {
        entries.delete(key);
        entries.set(key, kept);
      }
      return kept;
    },
    set(key, kept) {
      remove(key);
      const size = sizeOf(key, kept);
      // One giant would push out everything else.
      if (size > maxBytes / 4) return;
      entries.set(key, kept);
      bytes += size;
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
    get bytes() {
      return bytes;
    },
  };
};
