import { useState } from 'preact/hooks';
import { isAbort } from './api.js';

/** Something that a page does once when asked: whether it is on its way, and why it failed. */
interface Act {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** True when it has succeeded. */
  run(action: () => Promise<unknown>): Promise<boolean>;
}

export const useAct = (): Act => {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  return {
    isBusy,
    error,
    async run(action) {
      setBusy(true);
      setError(undefined);
      try {
        await action();
        return true;
      } catch (reason) {
        if (!isAbort(reason)) setError(reason);
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
};
