/**
 * Master keys of an installation on one machine: a file that only its owner can read, one `id:base64` per line, the current one first.
 * Without this file the encrypted keys of users cannot be decrypted.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Lines of the file; undefined if it does not exist. */
export const readKeyFile = (path: string): string[] | undefined => {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** Lines of the file, which is created with one new key if it does not exist. */
export const openKeyFile = (path: string): string[] => {
  const found = readKeyFile(path);
  if (found !== undefined) return found;
  mkdirSync(dirname(path), { recursive: true });
  const line = `k1:${randomBytes(32).toString('base64')}`;
  // Written to a temporary file first, since a full disk would otherwise leave an empty one, which later starts would accept.
  const prepared = `${path}.${randomUUID()}`;
  try {
    writeFileSync(prepared, `${line}\n`, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(prepared, path);
    return [line];
  } catch (error) {
    // Another process has just created it.
    const made = codeOf(error) === 'EEXIST' ? readKeyFile(path) : undefined;
    if (made === undefined) throw error;
    return made;
  } finally {
    rmSync(prepared, { force: true });
  }
};
