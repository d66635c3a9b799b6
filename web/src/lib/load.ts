import { useCallback, useEffect, useState } from 'preact/hooks';
import { isAbort } from './api.js';
import { session } from './session.js';
import { useStore } from './store.js';

export type Loaded<T> =
  | { readonly state: 'loading'; readonly data?: T | undefined }
  | { readonly state: 'ready'; readonly data: T }
  | { readonly state: 'error'; readonly error: unknown; readonly data?: undefined };

/**
 * Loads data on mount, when one of `keys` changes, and when the user signs in or out. Cancels requests that are no longer
 * needed. While it reloads, `data` keeps the previous value.
 */
export const useLoad = <T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
): Loaded<T> & { reload(): void } => {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  const [round, setRound] = useState(0);
  const { turn } = useStore(session);
  useEffect(() => {
    const stop = new AbortController();
    setLoaded(({ data }) => ({ state: 'loading', data }));
    load(stop.signal).then(
      (data) => {
        if (!stop.signal.aborted) setLoaded({ state: 'ready', data });
      },
      (error: unknown) => {
        if (!stop.signal.aborted && !isAbort(error)) setLoaded({ state: 'error', error });
      },
    );
    return () => stop.abort();
  }, [...keys, round, turn]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { ...loaded, reload };
};
