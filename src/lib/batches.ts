/** Looks up one key, together with those of other callers. */
type FindTogether<K, V> = (key: K) => Promise<V>;

interface BatchOptions<K, V> {
  /** Equal for keys that have the same value: they are looked up once. */
  readonly idOf: (key: K) => string;
  /** Values in the order of the keys. */
  readonly find: (keys: readonly K[]) => Promise<readonly V[]>;
  /** Keys of one call. */
  readonly mostKeys: number;
  /** Calls at a time. */
  readonly mostCalls: number;
}

interface Waiting<K, V> {
  readonly key: K;
  readonly value: Promise<V>;
  readonly resolve: (value: Promise<V>) => void;
}

/**
 * Looks keys up in batches: those of one turn of the event loop, and those that arrive while all calls are in flight. A call
 * starts after all of its keys were requested, so no value is older than its request. Values are shared and must not be
 * changed. An error is thrown to all callers of its call. (dataloader has no bound for the calls in flight.)
 */
export const createBatches = <K, V>({
  idOf,
  find,
  mostKeys,
  mostCalls,
}: BatchOptions<K, V>): FindTogether<K, V> => {
  const waiting = new Map<string, Waiting<K, V>>();
  let calls = 0;
  let isScheduled = false;

  const call = async (batch: readonly Waiting<K, V>[]): Promise<void> => {
    calls += 1;
    const found = find(batch.map(({ key }) => key));
    for (const [index, { resolve }] of batch.entries()) resolve(found.then((values) => values[index] as V));
    await Promise.allSettled([found]);
    calls -= 1;
    callSome();
  };
  const callSome = (): void => {
    isScheduled = false;
    while (calls < mostCalls && waiting.size > 0) {
      const batch = [...waiting].slice(0, mostKeys);
      for (const [id] of batch) waiting.delete(id);
      void call(batch.map(([, one]) => one));
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
    if (!isScheduled && calls < mostCalls) {
      isScheduled = true;
      setImmediate(callSome);
    }
    return value;
  };
};
