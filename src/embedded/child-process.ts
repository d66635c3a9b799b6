import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AppError, unavailable } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { StateFile } from './component-state.js';
import { type Command, wrapCommand } from './launcher.js';
import type { LogFile } from './log-file.js';
import { identify, sendSignal } from './process-identity.js';

export interface ChildOptions {
  /** In words for a person: "embedded Kafka". */
  title: string;
  command: Command;
  cwd: string;
  /** The child's environment; that of this process when left out. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The account to run as; left out or empty, that of this process. */
  spawnAs?: { uid?: number; gid?: number };
  /** Further arguments of `setpriv` when the child needs a privilege its account lacks. */
  privileges?: string[];
  /** Asks the child to end in an orderly way; also sent by the kernel when this process dies. */
  stopSignal: NodeJS.Signals;
  /** How long an orderly end may take before the child is killed. */
  stopWithinMs: number;
  /** True when the child answers requests. */
  isReady(pid: number): Promise<boolean>;
  /** Runs before each start, and repairs what a crash may have left. */
  prepare?(): void;
  state: StateFile;
  output: LogFile;
  log: Log;
}

const readyPollMs = 40;

/** Minutes, for a busy machine with a cold disk. A server that fails ends and is noticed at once. */
const startWithinMs = 300_000;

/** Error of a component that ended because all are being stopped. It is never reported as the cause. */
export const stoppedError = (title: string): AppError => unavailable('stopped', `${title} was stopped`);

/** Error with the path of the child's output and its last lines. */
export const failureOf = (title: string, what: string, output: LogFile, cause?: unknown): AppError => {
  const said = output.tail();
  const message = `${title} ${what}; see ${output.path}${said === '' ? '' : `\n${said}`}`;
  return unavailable('component_failed', message, cause === undefined ? {} : { cause });
};

export const hasEnded = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

/** Starts the child. Call `rememberChild` next, before anything else. */
export const launchChild = (options: ChildOptions): ChildProcess => {
  options.prepare?.();
  const { program, args } = wrapCommand(options.command, options.stopSignal, options.privileges);
  const descriptor = options.output.open();
  try {
    // A session of its own: Ctrl-C in a terminal reaches only us, and we decide the order of the stop.
    return spawn(program, args, {
      cwd: options.cwd,
      detached: true,
      stdio: ['ignore', descriptor, descriptor],
      ...(options.env === undefined ? {} : { env: { ...options.env } }),
      ...options.spawnAs,
    });
  } finally {
    closeSync(descriptor);
  }
};

/**
 * Records the identity of the child, so that the next run can end it if this one cannot.
 * @throws Error of the file system, as on a full disk: then the child has to be ended, since nobody would find it later.
 */
export const rememberChild = ({ pid }: ChildProcess, { state }: ChildOptions): void => {
  const identity = pid === undefined ? undefined : identify(pid);
  if (identity !== undefined) state.update({ process: identity });
};

/** Asks the child to end and returns when it has; kills its group when it takes too long. */
export const endChild = async (child: ChildProcess, options: ChildOptions): Promise<void> => {
  const { pid } = child;
  if (pid === undefined || hasEnded(child)) return;
  const ended = once(child, 'exit');
  sendSignal(pid, options.stopSignal);
  const killer = setTimeout(() => {
    options.log.warn({ pid }, 'component does not end in time, killing it');
    sendSignal(-pid, 'SIGKILL');
  }, options.stopWithinMs);
  await ended;
  clearTimeout(killer);
};

/** Returns when the child answers; rejects when it ends, stays silent or `stopping` is aborted. */
export const waitUntilReady = async (
  child: ChildProcess,
  options: ChildOptions,
  stopping: AbortSignal,
): Promise<void> => {
  const { title, output } = options;
  let spawnError: Error | undefined;
  child.once('error', (error) => {
    spawnError = error;
  });
  const deadline = Date.now() + startWithinMs;
  for (;;) {
    await sleep(readyPollMs);
    // First: a child that was stopped has not failed.
    if (stopping.aborted) throw stoppedError(title);
    if (spawnError !== undefined) throw failureOf(title, `cannot be run (${spawnError.message})`, output);
    if (child.pid === undefined || hasEnded(child)) {
      throw failureOf(title, `ended during its start (${child.signalCode ?? child.exitCode})`, output);
    }
    if (await options.isReady(child.pid)) return;
    if (Date.now() > deadline) {
      throw failureOf(title, `gave no answer within ${startWithinMs / 1000} s`, output);
    }
  }
};
