import { useState } from 'preact/hooks';
import { isAbort } from './api.js';

/** State of a user action, such as a form that is sent. */
interface Act {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Returns true if the action succeeded. */
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
