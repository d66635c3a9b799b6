import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { byteStream } from '../lib/byte-stream.js';
import { isAppError } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import { unlessMissing } from '../lib/missing-files.js';
import type { ObjectStorage } from '../storage/objects/object-storage.js';

/** A file that is being made. */
export interface Build {
  /** Resolves when the whole file is in the storage; rejects if it could not be made. */
  readonly done: Promise<void>;
  /** Streams the file from its first byte while it is written. Ends properly only if the file is complete. */
  follow(): Readable;
}

/** Makes files. Requests for a file that is being made share one build. */
export interface Builds {
  /** Joins the build of this key or starts it. */
  start(key: string, source: () => Promise<Readable>): Build;
  current(key: string): Build | undefined;
  /** Removes partial files that a killed process left. */
  tidy(): Promise<void>;
  /** Waits until all running builds have ended. */
  drain(): Promise<void>;
}

interface BuildsOptions {
  /** Folder of unfinished files, on the file system of local storage. */
  readonly spoolFolder: string;
  readonly storage: ObjectStorage;
  readonly log: Log;
}

/** A partial file without a write for this long belongs to no running build. */
const abandonedMs = 3_600_000;
const readBytes = 256 * 1024;

interface Progress extends EventEmitter<{ step: [] }> {
  written: number;
  state: 'running' | 'done' | 'failed';
  error: unknown;
}

const createProgress = (): Progress => {
  const events = new EventEmitter<{ step: [] }>();
  events.setMaxListeners(0);
  return Object.assign(events, { written: 0, state: 'running' as const, error: undefined });
};

/** A file that stays open while it has users, even after it was renamed or removed. */
interface SharedFile {
  readonly handle: Promise<FileHandle>;
  hold(): void;
  release(): Promise<void>;
}

const shareFile = (handle: Promise<FileHandle>): SharedFile => {
  let users = 0;
  return {
    handle,
    hold() {
      users += 1;
    },
    async release() {
      users -= 1;
      if (users === 0) await (await handle).close();
    },
  };
};

/** Reads after the writer. */
async function* followBytes(file: SharedFile, progress: Progress): AsyncGenerator<Buffer> {
  try {
    const handle = await file.handle;
    let position = 0;
    while (true) {
      if (position < progress.written) {
        const length = Math.min(readBytes, progress.written - position);
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (progress.state === 'failed') throw progress.error;
      else if (progress.state === 'done') return;
      else await once(progress, 'step');
    }
  } finally {
    await file.release();
  }
}

const writeAll = async (file: FileHandle, source: Readable, progress: Progress): Promise<void> => {
  for await (const chunk of source as AsyncIterable<Buffer>) {
    // A write may be partial without an error when the disk fills up; the next one fails.
    for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
    progress.written += chunk.length;
    progress.emit('step');
  }
};

interface Job {
  readonly key: string;
  readonly path: string;
  readonly file: SharedFile;
  readonly progress: Progress;
  readonly source: () => Promise<Readable>;
}

export const createBuilds = ({ spoolFolder, storage, log }: BuildsOptions): Builds => {
  const running = new Map<string, Build>();

  const run = async ({ key, path, file, progress, source }: Job): Promise<void> => {
    const startedAt = Date.now();
    try {
      const handle = await file.handle;
      await writeAll(handle, await source(), progress);
      await handle.sync();
      await storage.adopt(key, path);
      progress.state = 'done';
      log.info({ file: key, bytes: progress.written, ms: Date.now() - startedAt }, 'export file made');
    } catch (error) {
      progress.state = 'failed';
      progress.error = error;
      // A version that is replaced while its file is made is not a fault: waiting requests are answered to retry.
      const isReplaced = isAppError(error) && error.code === 'version_gone';
      log[isReplaced ? 'info' : 'error'](
        { file: key, bytes: progress.written, err: error },
        'export file failed',
      );
      await rm(path, { force: true });
      throw error;
    } finally {
      running.delete(key);
      progress.emit('step');
      await file.release();
    }
  };

  /** Starts to read at once, since a generator that never starts would never release its file. */
  const follow = (file: SharedFile, progress: Progress): Readable => {
    file.hold();
    const stream = byteStream(followBytes(file, progress), readBytes);
    stream.read(0);
    // The build may fail while its reader still waits for something else, and without a listener that would end the process. Whoever reads
    // the stream afterwards gets the error.
    stream.on('error', () => undefined);
    return stream;
  };

  return {
    start(key, source) {
      const known = running.get(key);
      if (known !== undefined) return known;
      const path = join(spoolFolder, `${randomUUID()}.part`);
      const progress = createProgress();
      const file = shareFile(mkdir(spoolFolder, { recursive: true }).then(() => open(path, 'wx+')));
      file.hold();
      const done = run({ key, path, file, progress, source });
      // Readers of the build see the error; `done` may have no listener.
      done.catch((error: unknown) => log.debug({ file: key, err: error }, 'build ended with an error'));
      const build: Build = { done, follow: () => follow(file, progress) };
      running.set(key, build);
      return build;
    },
    current: (key) => running.get(key),
    async tidy() {
      for (const name of (await unlessMissing(readdir(spoolFolder))) ?? []) {
        const path = join(spoolFolder, name);
        // A build that ends meanwhile removes its file.
        const stats = await unlessMissing(stat(path));
        if (stats !== undefined && Date.now() - stats.mtimeMs > abandonedMs) await rm(path, { force: true });
      }
    },
    async drain() {
      await Promise.allSettled([...running.values()].map(({ done }) => done));
    },
  };
};
