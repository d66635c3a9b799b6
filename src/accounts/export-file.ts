import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface WrittenFile {
  readonly file: string;
  readonly bytes: number;
}

/** Writes a stream to a file, named `<file>.part` until it is complete. @throws if that file exists */
export const writeExportFile = async (to: string, open: () => Readable): Promise<WrittenFile> => {
  const file = resolve(to);
  const unfinished = `${file}.part`;
  try {
    await pipeline(open(), createWriteStream(unfinished, { flags: 'wx' }));
    await rename(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(unfinished, { force: true });
    throw error;
  }
  return { file, bytes: (await stat(file)).size };
};
