import { useCallback, useEffect, useState } from 'preact/hooks';
import { isAbort } from '../../lib/api.js';
import { createStore, useStore } from '../../lib/store.js';

/** True if screens reload automatically. Shared by all screens while the app is open. */
export const isLive = createStore(true);

const everyMs = 5_000;

/** Data of a screen. An error keeps the previous data. */
export interface Live<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  /** Time of `data`, milliseconds since the epoch. */
  readonly at: number;
  reload(): void;
}

/** Loads now, when one of `keys` changes, and every few seconds while the page is visible. */
export const useLive = <T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]): Live<T> => {
  const [seen, setSeen] = useState<Omit<Live<T>, 'reload'>>({ data: undefined, error: undefined, at: 0 });
  const [round, setRound] = useState(0);
  const live = useStore(isLive);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async (): Promise<void> => {
      try {
        if (!document.hidden) {
          const data = await load(stop.signal);
          if (!stop.signal.aborted) setSeen({ data, error: undefined, at: Date.now() });
        }
      } catch (error) {
        if (!stop.signal.aborted && !isAbort(error)) setSeen((last) => ({ ...last, error }));
      }
      if (live && !stop.signal.aborted) timer = setTimeout(() => void poll(), everyMs);
    };
    void poll();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [...keys, round, live]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { ...seen, reload };
};
