/** Reads regular files of a folder that others can write to: no symbolic links, devices or pipes. */
import { constants, type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

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

/**
 * Keys of all files in the folder and its subfolders. @throws the error of `refuse` if it contains anything but regular files and folders.
 */
export const regularFilesOf = async (folder: string, refuse: Refuse): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const keyOf = (entry: (typeof entries)[number]): string =>
    relative(folder, join(entry.parentPath, entry.name));
  const odd = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (odd !== undefined) throw refuse(notRegular(keyOf(odd)));
  return entries.filter((entry) => entry.isFile()).map(keyOf);
};
