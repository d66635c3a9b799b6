import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import {
  type ChildOptions,
  endChild,
  hasEnded,
  launchChild,
  rememberChild,
  stoppedError,
  waitUntilReady,
} from './child-process.js';
import type { StateFile } from './component-state.js';
import { endProcess, isAlive } from './process-identity.js';

/** A child process that is restarted when it dies, until it is stopped. */
export interface SupervisedChild {
  /** Starts it and waits until it responds. Rejects if it dies or does not respond; then no process is left. */
  start(): Promise<void>;
  /** Stops it permanently. May be called at any time, even during a start or a restart. */
  stop(): Promise<void>;
  pid(): number | undefined;
}

const firstBackoffMs = 250;
const longestBackoffMs = 10_000;
const orphanGraceMs = 5_000;

/** Stops the child of an earlier process that did not stop it. */
export const endOrphan = async (state: StateFile, signal: NodeJS.Signals, log: Log): Promise<void> => {
  const orphan = state.read().process;
  if (orphan === undefined || !isAlive(orphan)) return;
  log.warn({ pid: orphan.pid }, 'ending a process left by an earlier run');
  await endProcess(orphan, signal, orphanGraceMs);
};

export const createSupervisedChild = (options: ChildOptions): SupervisedChild => {
  const { title, log } = options;
  const stopping = new AbortController();
  let current: ChildProcess | undefined;
  let restarting: Promise<void> | undefined;

  const start = async (): Promise<void> => {
    if (stopping.signal.aborted) throw stoppedError(title);
    // No await between the check above and this assignment, so that `stop` always finds the child.
    const child = launchChild(options);
    current = child;
    try {
      rememberChild(child, options);
      await waitUntilReady(child, options, stopping.signal);
    } catch (error) {
      await endChild(child, options);
      throw error;
    }
    if (hasEnded(child)) revive(child);
    else child.once('exit', () => revive(child));
  };

  const revive = ({ exitCode, signalCode }: ChildProcess): void => {
    if (stopping.signal.aborted) return;
    log.warn({ reason: `exit ${signalCode ?? exitCode}` }, 'died, starting it again');
    restarting = restart();
  };

  /** Returns true after the whole pause, false if `stop` ended it early. */
  const pause = async (ms: number): Promise<boolean> => {
    try {
      await sleep(ms, undefined, { signal: stopping.signal });
      return true;
    } catch (error) {
      if (stopping.signal.aborted) return false;
      throw error;
    }
  };

  const restart = async (): Promise<void> => {
    let backoffMs = firstBackoffMs;
    while (await pause(backoffMs)) {
      try {
        await start();
        log.warn({ pid: current?.pid }, 'is back');
        return;
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.error({ reason: messageOf(error) }, 'cannot be started again yet');
        backoffMs = Math.min(backoffMs * 2, longestBackoffMs);
      }
    }
  };

  return {
    start,
    async stop() {
      stopping.abort();
      if (current !== undefined) await endChild(current, options);
      await restarting;
    },
    pid: () => (current === undefined || hasEnded(current) ? undefined : current.pid),
  };
};
