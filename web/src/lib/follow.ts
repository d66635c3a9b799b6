import { ApiError, api, isAbort } from './api.js';
import type { Process } from './types.js';

const pauseMs = 500;

interface Listener {
  onProcess(process: Process): void;
  /** Called for each failed request. A passing error, such as a lost connection, is followed by another request. */
  onError(error: unknown, isPassing: boolean): void;
}

interface Followed extends Listener {
  readonly path: string;
  readonly stop: AbortController;
}

const isPassing = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

const followed = new Set<Followed>();
let isPolling = false;

const readOne = async (one: Followed): Promise<void> => {
  try {
    const process = await api.get<Process>(one.path, { signal: one.stop.signal });
    if (one.stop.signal.aborted) return;
    if (process.status !== 'pending') followed.delete(one);
    one.onProcess(process);
  } catch (error) {
    if (isAbort(error) || one.stop.signal.aborted) return;
    if (!isPassing(error)) followed.delete(one);
    one.onError(error, isPassing(error));
  }
};

const poll = async (): Promise<void> => {
  if (isPolling) return;
  isPolling = true;
  while (followed.size > 0) {
    for (const one of [...followed]) if (followed.has(one)) await readOne(one);
    await new Promise((done) => {
      setTimeout(done, pauseMs);
    });
  }
  isPolling = false;
};

/**
 * Polls a process until it has ended. All processes of a window are read one after the other: a browser has six connections
 * to a host for all windows together, and a stream of events per process would take them all.
 *
 * @returns stops following
 */
export const follow = (datasetId: number, processId: number, listener: Listener): (() => void) => {
  const path = `/datasets/${datasetId}/processes/${processId}`;
  const one: Followed = { ...listener, path, stop: new AbortController() };
  followed.add(one);
  void poll();
  return () => {
    followed.delete(one);
    one.stop.abort();
  };
};

/** Resolves when the process has ended, also if the service is unreachable meanwhile. */
export const settled = async (process: Process): Promise<Process> => {
  if (process.status !== 'pending') return process;
  return new Promise((resolve, reject) => {
    follow(process.datasetId, process.id, {
      onProcess: (view) => {
        if (view.status !== 'pending') resolve(view);
      },
      onError: (error, isPassing) => {
        if (!isPassing) reject(error);
      },
    });
  });
};
