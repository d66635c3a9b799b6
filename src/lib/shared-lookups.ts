/** Looks up the value of a key, together with other callers of the same key. */
type Lookup<K, V> = (key: K) => Promise<V>;

interface SharedLookupsOptions<K, V> {
  /** Returns the same text for keys that have the same value. */
  readonly idOf: (key: K) => string;
  readonly find: (key: K) => Promise<V>;
  /** Maximum concurrent calls of `find`. */
  readonly maxCalls: number;
}

interface Waiting<K, V> {
  readonly key: K;
  readonly value: Promise<V>;
  readonly resolve: (value: Promise<V>) => void;
}

/**
 * Looks up a key once for all callers that request it in one turn of the event loop, or while all calls are in flight. A call starts after
 * its last request, so no value is older than its request. Values are shared and must not be changed. An error is thrown to all callers of
 * its call.
 */
export const createSharedLookups = <K, V>({
  idOf,
  find,
  maxCalls,
}: SharedLookupsOptions<K, V>): Lookup<K, V> => {
  const waiting = new Map<string, Waiting<K, V>>();
  let calls = 0;
  let isScheduled = false;

  const call = async ({ key, resolve }: Waiting<K, V>): Promise<void> => {
    calls += 1;
    const found = find(key);
    resolve(found);
    await Promise.allSettled([found]);
    calls -= 1;
    callSome();
  };
  const callSome = (): void => {
    isScheduled = false;
    for (const [id, one] of waiting) {
      if (calls >= maxCalls) return;
      waiting.delete(id);
      void call(one);
    }
  };

  return (key) => {
    const id = idOf(key);
    const joined = waiting.get(id);
    if (joined !== undefined) return joined.value;
    let resolve: (value: Promise<V>) => void = () => undefined;
    const value = new Promise<V>((done) => {
      resolve = done;
    });
    waiting.set(id, { key, value, resolve });
    if (!isScheduled && calls < maxCalls) {
      isScheduled = true;
      setImmediate(callSome);
    }
    return value;
  };
};
