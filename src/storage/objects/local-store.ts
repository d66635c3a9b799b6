import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ObjectStore } from './object-store.js';

/** Keys are made by this service; anything else must not walk out of the folder. */
const checkedKey = (key: string): string => {
  if (!/^[A-Za-z0-9_-]+(\/[A-Za-z0-9_.-]+)*$/.test(key) || key.includes('..')) {
    throw new RangeError(`not a key of an object: ${key}`);
  }
  return key;
};

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Objects as files of one folder, which must lie on the same file system as the files it adopts. */
export const createLocalStore = (folder: string): ObjectStore => {
  const pathOf = (key: string): string => join(folder, checkedKey(key));
  return {
    async stat(key) {
      try {
        const { size, mtimeMs } = await stat(pathOf(key));
        return { size, storedAtMs: mtimeMs };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async read(key, range) {
      return createReadStream(pathOf(key), { ...range, highWaterMark: 256 * 1024 });
    },
    async adopt(key, path) {
      await mkdir(dirname(pathOf(key)), { recursive: true });
      await rename(path, pathOf(key));
    },
    async delete(key) {
      await rm(pathOf(key), { force: true });
    },
    async *list() {
      let entries: Awaited<ReturnType<typeof readdirOf>>;
      try {
        entries = await readdirOf(folder);
      } catch (error) {
        if (isMissing(error)) return;
        throw error;
      }
      for (const path of entries) {
        const key = path.split('\\').join('/');
        const info = await this.stat(key);
        if (info !== undefined) yield { key, ...info };
      }
    },
    async link() {
      return undefined;
    },
  };
};

/** Paths of all files below, relative to the folder. */
const readdirOf = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
};
