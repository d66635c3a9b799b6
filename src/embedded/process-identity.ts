import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The operating system reuses process ids. An id together with the start time identifies a process permanently, across our restarts. */
export interface ProcessIdentity {
  pid: number;
  /** Start time: clock ticks since boot on Linux, a date elsewhere. Only compared for equality. */
  startedAt: string;
}

const linuxIdentity = (pid: number): ProcessIdentity | undefined => {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  // The second field is the command name in parentheses, which may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  // A zombie has ended and only waits for its parent, which may never collect it (the first process of a container).
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
  return { pid, startedAt: startTicks };
};

const portableIdentity = (pid: number): ProcessIdentity | undefined => {
  try {
    const started = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    }).trim();
    return started === '' || started.startsWith('Z')
      ? undefined
      : { pid, startedAt: started.replace(/^\S+\s+/, '') };
  } catch (error) {
    // `ps` exits with 1 if there is no such process.
    if (error instanceof Error && 'status' in error && error.status === 1) return undefined;
    throw error;
  }
};

const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');

/** Identity of a running process; undefined if it does not run. */
export const identify = (pid: number): ProcessIdentity | undefined =>
  process.platform === 'linux' ? linuxIdentity(pid) : portableIdentity(pid);

export const isAlive = (identity: ProcessIdentity): boolean =>
  identify(identity.pid)?.startedAt === identity.startedAt;

/** Sends a signal to the process, or with a negative id to its group. Ignores a process that no longer exists. */
export const sendSignal = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
};

const waitUntilDead = async (identity: ProcessIdentity, boundMs: number): Promise<boolean> => {
  const deadline = Date.now() + boundMs;
  while (isAlive(identity)) {
    if (Date.now() >= deadline) return false;
    await sleep(25);
  }
  return true;
};

/** Ends a process that is not our child: sends a signal, and kills its whole group if it does not end. */
export const endProcess = async (
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<void> => {
  if (!isAlive(identity)) return;
  sendSignal(identity.pid, signal);
  if (await waitUntilDead(identity, graceMs)) return;
  sendSignal(-identity.pid, 'SIGKILL');
  sendSignal(identity.pid, 'SIGKILL');
  await waitUntilDead(identity, 5_000);
};
