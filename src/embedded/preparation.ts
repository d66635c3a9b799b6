import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { messageOf } from '../lib/errors.js';
import { failureOf, stoppedError } from './child-process.js';
import type { Command } from './launcher.js';
import type { LogFile } from './log-file.js';
import { sendSignal } from './process-identity.js';

interface PreparationOptions {
  /** Description of the step for users: "making the data folder of embedded PostgreSQL". */
  what: string;
  command: Command;
  cwd: string;
  spawnAs?: { uid?: number; gid?: number };
  /** Text for its standard input. */
  input?: string;
  output: LogFile;
  signal: AbortSignal;
}

/** Runs a program to its end. Rejects with its last output if it fails. */
export const runPreparation = async (options: PreparationOptions): Promise<void> => {
  const { what, command, output, signal } = options;
  const descriptor = output.open();
  const child = spawn(command.program, command.args, {
    cwd: options.cwd,
    detached: true,
    stdio: ['pipe', descriptor, descriptor],
    ...options.spawnAs,
  });
  closeSync(descriptor);
  // Kills the whole group, since some of these programs start others; their incomplete results are discarded.
  const kill = (): void => {
    if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
  };
  signal.addEventListener('abort', kill, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      // A program that ends without reading its input breaks the pipe; its exit code shows the reason.
      child.stdin?.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') reject(error);
      });
      child.once('exit', (code, killedBy) => {
        if (code === 0) resolve();
        else reject(new Error(`ended with ${killedBy ?? code}`));
      });
      child.stdin?.end(options.input ?? '');
      if (signal.aborted) kill();
    });
  } catch (error) {
    if (signal.aborted) throw stoppedError(what);
    throw failureOf(what, `failed: ${messageOf(error)}`, output, error);
  } finally {
    signal.removeEventListener('abort', kill);
  }
};
