import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { StateFile } from './component-state.js';
import { type Command, wrapCommand } from './launcher.js';
import type { LogFile } from './log-file.js';
import { endProcess, identify, isAlive, sendSignal } from './process-identity.js';

export interface ChildOptions {
  /** In words for a person: "embedded Kafka". */
  title: string;
  command: Command;
  cwd: string;
  /** The account to run as; left out or empty, that of this process. */
  spawnAs?: { uid?: number; gid?: number };
  /** Further arguments of `setpriv` when the child needs a privilege its account lacks. */
  privileges?: string[];
  /** Asks the child to end in an orderly way; also sent by the kernel when this process dies. */
  stopSignal: NodeJS.Signals;
  /** How long an orderly end may take before the child is killed. */
  stopWithinMs: number;
  startWithinMs: number;
  /** True when the child answers requests. */
  isReady(pid: number): Promise<boolean>;
  /** Repairs what an earlier death may have left, before each start. */
  prepare?(): void;
  state: StateFile;
  output: LogFile;
  log: Log;
}

/** A child process that is started again when it dies, until it is stopped. */
export interface SupervisedChild {
  /** Starts it and waits until it answers. Rejects when it dies or stays silent; then nothing is left running. */
  start(): Promise<void>;
  /** Ends it for good; safe at any time, also during a start or a restart. */
  stop(): Promise<void>;
  pid(): number | undefined;
}

const readyPollMs = 40;
const firstBackoffMs = 250;
const longestBackoffMs = 10_000;

/** Ends the child that an earlier process of ours left behind. */
export const endOrphan = async (
  title: string,
  state: StateFile,
  signal: NodeJS.Signals,
  log: Log,
): Promise<void> => {
  const orphan = state.read().process;
  if (orphan === undefined || !isAlive(orphan)) return;
  log.warn({ component: title, pid: orphan.pid }, 'ending a process left by an earlier run');
  await endProcess(orphan, signal, 5_000);
};

export const createSupervisedChild = (options: ChildOptions): SupervisedChild => {
  const { title, state, output, log } = options;
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let restarting: Promise<void> | undefined;

  const launch = (): ChildProcess => {
    options.prepare?.();
    const { program, args } = wrapCommand(options.command, options.stopSignal, options.privileges);
    const descriptor = output.open();
    try {
      // A session of its own: Ctrl-C in a terminal reaches only us, and we decide the order of the stop.
      const started = spawn(program, args, {
        cwd: options.cwd,
        detached: true,
        stdio: ['ignore', descriptor, descriptor],
        ...options.spawnAs,
      });
      const identity = started.pid === undefined ? undefined : identify(started.pid);
      if (identity !== undefined) state.update({ process: identity });
      return started;
    } finally {
      closeSync(descriptor);
    }
  };

  const hasEnded = (process: ChildProcess): boolean =>
    process.pid === undefined || process.exitCode !== null || process.signalCode !== null;

  const end = async (process: ChildProcess): Promise<void> => {
    if (process.pid === undefined || hasEnded(process)) return;
    const ended = once(process, 'exit');
    sendSignal(process.pid, options.stopSignal);
    const killer = setTimeout(() => {
      log.warn({ component: title }, 'does not end in time, killing it');
      sendSignal(-(process.pid ?? 0), 'SIGKILL');
    }, options.stopWithinMs);
    await ended;
    clearTimeout(killer);
  };

  const failure = (code: string, what: string): AppError => {
    const said = output.tail();
    const message = said === '' ? `${title} ${what}` : `${title} ${what}; its last words: ${said}`;
    return new AppError('unavailable', code, message);
  };

  const waitUntilReady = async (process: ChildProcess): Promise<void> => {
    let spawnError: Error | undefined;
    process.once('error', (error) => {
      spawnError = error;
    });
    const deadline = Date.now() + options.startWithinMs;
    for (;;) {
      if (stopping.signal.aborted) throw new AppError('unavailable', 'stopped', `${title} was stopped`);
      await sleep(readyPollMs);
      if (spawnError !== undefined)
        throw failure('component_failed', `can not be run (${spawnError.message})`);
      if (hasEnded(process)) {
        throw failure(
          'component_failed',
          `ended during its start (${process.signalCode ?? process.exitCode})`,
        );
      }
      if (process.pid !== undefined && (await options.isReady(process.pid))) return;
      if (Date.now() > deadline) {
        throw failure('component_silent', `gave no answer within ${options.startWithinMs / 1000} s`);
      }
    }
  };

  const startOnce = async (): Promise<void> => {
    if (stopping.signal.aborted) throw new AppError('unavailable', 'stopped', `${title} was stopped`);
    const started = launch();
    child = started;
    try {
      await waitUntilReady(started);
    } catch (error) {
      await end(started);
      throw error;
    }
    watch(started);
  };

  const watch = (process: ChildProcess): void => {
    const revive = (): void => {
      if (stopping.signal.aborted) return;
      log.warn(
        { component: title, exitCode: process.exitCode, signal: process.signalCode },
        'component died, starting it again',
      );
      restarting = restart();
    };
    if (hasEnded(process)) revive();
    else process.once('exit', revive);
  };

  const restart = async (): Promise<void> => {
    for (
      let backoffMs = firstBackoffMs;
      !stopping.signal.aborted;
      backoffMs = Math.min(backoffMs * 2, longestBackoffMs)
    ) {
      // A stop during the pause rejects it; the loop's condition is what ends the loop.
      await sleep(backoffMs, undefined, { signal: stopping.signal }).catch((error: unknown) => {
        if (!stopping.signal.aborted) throw error;
      });
      try {
        await startOnce();
        log.info({ component: title, pid: child?.pid }, 'component is back');
        return;
      } catch (error) {
        if (!stopping.signal.aborted)
          log.error({ component: title, err: error }, 'component can not be started again');
      }
    }
  };

  return {
    start: startOnce,
    async stop() {
      stopping.abort();
      if (child !== undefined) await end(child);
      await restarting;
    },
    pid: () => (child === undefined || hasEnded(child) ? undefined : child.pid),
  };
};
