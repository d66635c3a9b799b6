import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { AppError, messageOf, unavailable } from '../lib/errors.js';
import { identify, isAlive, type ProcessIdentity } from './process-identity.js';

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

const readOwner = (path: string): ProcessIdentity | undefined => {
  try {
    const [pid, startedAt] = readFileSync(path, 'utf8').trim().split(' ', 2);
    return pid === undefined || startedAt === undefined ? undefined : { pid: Number(pid), startedAt };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

/** Links the prepared file to the name of the lock: of several processes, only one succeeds. */
const tryLink = (prepared: string, lock: string): boolean => {
  try {
    linkSync(prepared, lock);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
};

/** Moves the lock of a dead owner away. If another process was faster and the moved lock is its own, the lock is put back. */
const removeDead = (lock: string, aside: string): void => {
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  const moved = readOwner(aside);
  if (moved !== undefined && isAlive(moved)) tryLink(aside, lock);
  rmSync(aside, { force: true });
};

const acquire = (dataDir: string, lock: string): void => {
  const self = identify(process.pid);
  if (self === undefined) throw new Error('this process cannot be found in the process table');
  const prepared = `${lock}.${randomUUID()}`;
  try {
    writeFileSync(prepared, `${self.pid} ${self.startedAt}\n`, { mode: 0o600 });
    for (let attempt = 0; attempt < 5; attempt++) {
      if (tryLink(prepared, lock)) return;
      const owner = readOwner(lock);
      if (owner !== undefined && isAlive(owner)) {
        throw unavailable(
          'data_folder_in_use',
          `the data folder ${dataDir} is in use by process ${owner.pid}: stop that one or set DATA_DIR to another folder`,
        );
      }
      removeDead(lock, `${prepared}.dead`);
    }
  } finally {
    rmSync(prepared, { force: true });
  }
  throw unavailable('data_folder_in_use', `the data folder ${dataDir} is being locked by another process`);
};

/**
 * The folder holds keys, passwords and rows, so only its owner may enter it. A folder that had other content before keeps its
 * mode; everything created in it is private nevertheless.
 */
const makePrivate = (dataDir: string): void => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const names = readdirSync(dataDir);
  if (names.length === 0 || names.includes('embedded')) chmodSync(dataDir, 0o700);
  for (const name of ['embedded', 'logs']) mkdirSync(join(dataDir, name), { recursive: true, mode: 0o700 });
};

/** Locks the data folder for this process; the returned function unlocks it. */
export const lockFolder = (dataDir: string): (() => void) => {
  const lock = join(dataDir, 'embedded', 'lock');
  try {
    makePrivate(dataDir);
    acquire(dataDir, lock);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unavailable(
      'data_folder_unusable',
      `the data folder ${dataDir} cannot be used (${messageOf(error)}): make it writable or set DATA_DIR to another folder`,
      { cause: error },
    );
  }
  return () => {
    const owner = readOwner(lock);
    if (owner !== undefined && owner.pid === process.pid) rmSync(lock, { force: true });
  };
};
