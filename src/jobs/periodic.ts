import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../lib/log.js';

interface PeriodicOptions {
  /** Name in the log. */
  readonly name: string;
  /** Milliseconds before the first run, and between the end of a run and the start of the next. A function is called each time. */
  readonly intervalMs: number | (() => number);
  /** One run; `stop` is aborted when it should end early. */
  readonly run: (stop: AbortSignal) => Promise<unknown>;
  readonly log: Log;
}

/** Repeats work until it is stopped, without overlap. A failed run is logged and does not stop the next one. */
export const startPeriodic = ({ name, intervalMs, run, log }: PeriodicOptions): { stop(): Promise<void> } => {
  const stopping = new AbortController();
  const { signal } = stopping;

  const pause = (): Promise<void> =>
    sleep(typeof intervalMs === 'number' ? intervalMs : intervalMs(), undefined, {
      signal,
      ref: false,
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });

  const loop = async (): Promise<void> => {
    for (await pause(); !signal.aborted; await pause()) {
      try {
        await run(signal);
      } catch (error) {
        if (!signal.aborted) log.error({ err: error, rounds: name }, 'a round failed');
      }
    }
  };

  const running = loop();
  return {
    stop() {
      stopping.abort();
      return running;
    },
  };
};
