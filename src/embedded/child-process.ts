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
  /** Name in messages: "embedded Kafka". */
  title: string;
  command: Command;
  cwd: string;
  /** Environment of the child. @default that of this process */
  env?: Readonly<Record<string, string | undefined>>;
  /** Account to run as. @default that of this process, also if empty */
  spawnAs?: { uid?: number; gid?: number };
  /** Further arguments of `setpriv` when the child needs a privilege its account lacks. */
  privileges?: string[];
  /** Signal for a clean shutdown; the kernel also sends it when this process dies. */
  stopSignal: NodeJS.Signals;
  /** Milliseconds that a clean shutdown may take before the child is killed. */
  stopWithinMs: number;
  /** Resolves to true once the child answers requests. */
  isReady(pid: number): Promise<boolean>;
  /** Runs before each start; repairs leftovers of a crash. */
  prepare?(): void;
  state: StateFile;
  output: LogFile;
  log: Log;
}

const readyPollMs = 40;

/** Some minutes, for a busy machine with a cold disk. A server that fails exits, which is noticed at once. */
const startWithinMs = 300_000;

/** Error of a component that ended because of a shutdown. It is never reported as the cause. */
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
    // In its own session, Ctrl-C in a terminal does not reach the child: this process stops all children in order.
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
 * Records the identity of the child, so that the next run can stop it if this one cannot.
 * @throws Error of the file system, such as on a full disk: the caller must stop the child, since no later run would find it.
 */
export const rememberChild = ({ pid }: ChildProcess, { state }: ChildOptions): void => {
  const identity = pid === undefined ? undefined : identify(pid);
  if (identity !== undefined) state.update({ process: identity });
};

/** Stops the child and waits until it has ended; kills its process group if that takes too long. */
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

/** Resolves when the child answers; rejects when it ends, does not answer in time, or `stopping` is aborted. */
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
    // Checked first: a child that was stopped has not failed.
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
