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
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

const startWaiting = <K, V>(key: K): Waiting<K, V> => {
  let settle: Pick<Waiting<K, V>, 'resolve' | 'reject'> | undefined;
  const value = new Promise<V>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { key, value, ...(settle as unknown as Pick<Waiting<K, V>, 'resolve' | 'reject'>) };
};

/**
 * Looks keys up in batches: those of one turn of the event loop, and those that come while all calls are under way. A call
 * begins after all of its keys were asked for, so no value is older than its question. Values are shared and must not be
 * changed. An error is thrown to all callers of its call.
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
    try {
      const values = await find(batch.map(({ key }) => key));
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as V);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
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
    const one = waiting.get(id) ?? startWaiting<K, V>(key);
    waiting.set(id, one);
    if (!isScheduled && calls < mostCalls) {
      isScheduled = true;
      setImmediate(callSome);
    }
    return one.value;
  };
};
