/** Reads regular files of a folder that others can write to: no symbolic links, devices or pipes. */
import { constants, type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unlessMissing } from '../../lib/missing-files.js';

/** Creates the error for anything but regular files and folders. */
export type Refuse = (what: string) => Error;

const notRegular = (key: string): string => `${key} is a symbolic link, or no regular file`;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Requires that the folder of the file is the one in its path, and not the target of a link. */
export const requireOwnFolder = async (folder: string, key: string, refuse: Refuse): Promise<void> => {
  const own = join(await realpath(folder), dirname(key));
  if ((await realpath(dirname(join(folder, key)))) !== own) throw refuse(notRegular(key));
};

/**
 * Opens a file and then checks it, so that nothing can be exchanged between check and read. `O_NONBLOCK`: a pipe without a writer must not
 * block the open.
 */
export const openRegular = async (folder: string, key: string, refuse: Refuse): Promise<FileHandle> => {
  const path = join(folder, key);
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, flags).catch((error: unknown) => {
    throw ['ELOOP', 'EMLINK', 'ENXIO'].includes(codeOf(error) ?? '') ? refuse(notRegular(key)) : error;
  });
  try {
    const opened = await handle.stat({ bigint: true });
    await requireOwnFolder(folder, key, refuse);
    const there = await lstat(path, { bigint: true });
    if (!opened.isFile() || there.ino !== opened.ino || there.dev !== opened.dev)
      throw refuse(notRegular(key));
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** Whatever is in the folder and its subfolders, but no folders. A folder that is missing, or removed meanwhile, is empty. */
export async function* entriesIn(
  folder: string,
  prefix = '',
): AsyncGenerator<{ readonly key: string; readonly isFile: boolean }> {
  const entries = await unlessMissing(readdir(join(folder, prefix), { withFileTypes: true }));
  for (const entry of entries ?? []) {
    const key = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) yield* entriesIn(folder, key);
    else yield { key, isFile: entry.isFile() };
  }
}

/**
 * Keys of all files in the folder and its subfolders. @throws the error of `refuse` if it contains anything but regular files and folders.
 */
export const regularFilesOf = async (folder: string, refuse: Refuse): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key, isFile } of entriesIn(folder)) {
    if (!isFile) throw refuse(notRegular(key));
    keys.push(key);
  }
  return keys;
};
