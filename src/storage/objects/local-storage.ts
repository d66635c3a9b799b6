import type { BigIntStats } from 'node:fs';
import { lstat, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type AppError, unavailable } from '../../lib/errors.js';
import { isMissing, unlessMissing } from '../../lib/missing-files.js';
import type { ObjectState, ObjectStorage } from './object-storage.js';
import { entriesIn, openRegular, type Refuse, regularFilesOf, requireOwnFolder } from './regular-files.js';

/** This service creates the keys; any other key must not leave the folder. */
const checkedKey = (key: string): string => {
  if (!/^[A-Za-z0-9_-]+(\/[A-Za-z0-9_.-]+)*$/.test(key) || key.includes('..')) {
    throw new RangeError(`not a key of an object: ${key}`);
  }
  return key;
};

const fileGone = (cause: unknown): AppError =>
  unavailable(
    'file_store_unavailable',
    'The file was removed a moment ago; repeat the request to have it made again.',
    {
      cause,
      retryAfterSeconds: 1,
    },
  );

const maxAdoptAttempts = 5;

/** Removes a folder if it is empty. */
const removeEmpty = async (path: string): Promise<void> => {
  try {
    await rmdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
};

const stateOf = ({ size, ino, mtimeMs, mtimeNs }: BigIntStats): ObjectState => ({
  size: Number(size),
  storedAtMs: Number(mtimeMs),
  tag: `${ino}-${mtimeNs}`,
});

const highWaterMark = 256 * 1024;

/**
 * Objects in a folder that others can write to, such as one with copied backups. The folder itself may be a symbolic link, its contents may
 * not.
 * @param refuse Creates the error for anything but regular files and folders.
 */
export const createGuardedStorage = (given: string, refuse: Refuse): ObjectStorage => {
  const folder = resolve(given);
  const storage = createLocalStorage(folder);
  return {
    ...storage,
    async stat(key) {
      try {
        const handle = await openRegular(folder, checkedKey(key), refuse);
        try {
          return stateOf(await handle.stat({ bigint: true }));
        } finally {
          await handle.close();
        }
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async read(key, range) {
      const handle = await openRegular(folder, checkedKey(key), refuse);
      return handle.createReadStream({ ...range, highWaterMark });
    },
    async adopt(key, path) {
      await mkdir(dirname(join(folder, checkedKey(key))), { recursive: true });
      await requireOwnFolder(folder, key, refuse);
      await storage.adopt(key, path);
    },
    async delete(key) {
      await requireOwnFolder(folder, checkedKey(key), refuse);
      await storage.delete(key);
    },
    async *list() {
      for (const key of await regularFilesOf(folder, refuse)) {
        const info = await unlessMissing(lstat(join(folder, key)));
        if (info !== undefined) yield { key, size: info.size, storedAtMs: info.mtimeMs };
      }
    },
  };
};

/** Stores objects as files of one folder, which must be on the same file system as the files that it adopts. */
export const createLocalStorage = (given: string): ObjectStorage => {
  const folder = resolve(given);
  const pathOf = (key: string): string => join(folder, checkedKey(key));
  return {
    async stat(key) {
      const info = await unlessMissing(stat(pathOf(key), { bigint: true }));
      return info && stateOf(info);
    },
    async read(key, range) {
      // Opened before the answer starts, so that a file that is removed meanwhile can still be read to its end.
      const file = await open(pathOf(key)).catch((error: unknown) => {
        throw isMissing(error) ? fileGone(error) : error;
      });
      return file.createReadStream({ ...range, highWaterMark });
    },
    async adopt(key, path) {
      const target = pathOf(key);
      for (let attempt = 1; ; attempt += 1) {
        try {
          await mkdir(dirname(target), { recursive: true });
          return await rename(path, target);
        } catch (error) {
          // The folder was empty and may have been removed meanwhile; mkdir itself fails if that happens during its check.
          if (!isMissing(error) || attempt === maxAdoptAttempts) throw error;
        }
      }
    },
    async delete(key) {
      const path = pathOf(key);
      await rm(path, { force: true });
      if (dirname(path) !== folder) await removeEmpty(dirname(path));
    },
    async *list() {
      for await (const { key, isFile } of entriesIn(folder)) {
        const info = isFile ? await this.stat(key) : undefined;
        if (info !== undefined) yield { key, ...info };
      }
    },
    async link() {
      return undefined;
    },
  };
};
