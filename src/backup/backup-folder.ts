import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, invalid, messageOf } from '../lib/errors.js';
import type { ObjectStorage } from '../storage/objects/object-storage.js';
import {
  completeKey,
  type Manifest,
  manifestKey,
  parseComplete,
  parseManifest,
  type StoredFile,
} from './manifest.js';

/** Where backups lie: a folder, or a bucket and a prefix. */
export interface BackupFolder {
  /** Ids of complete backups, oldest first. */
  list(): Promise<string[]>;
  /** @throws AppError 400 `backup_damaged`, or `no_backup` when there is no complete one of that id. */
  manifest(id: string): Promise<Manifest>;
  /** Writes a file for its owner alone, whole or not at all. */
  write(key: string, source: AsyncIterable<Buffer>): Promise<StoredFile>;
  read(key: string): Promise<Readable>;
  /** True when there is a file of this size. */
  has(file: StoredFile): Promise<boolean>;
  /** Reads the whole file. @throws AppError 400 `backup_damaged` when it is not as it was written. */
  check(file: StoredFile): Promise<void>;
  /** Makes a backup complete; it is there from now on. */
  complete(manifest: Manifest): Promise<void>;
  /** Removes all files below these backups and those below `segments` that none of the given manifests needs. */
  sweep(kept: readonly Manifest[]): Promise<number>;
}

export const damaged = (what: string): AppError =>
  invalid('backup_damaged', `The backup is damaged: ${what}. Nothing was changed.`);

/** Counts and hashes what passes. */
const measuring = () => {
  const hash = createHash('sha256');
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ bytes, sha256: hash.digest('hex') }) };
};

const textIn = async (source: AsyncIterable<Buffer>): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
};

export interface BackupFolderOptions {
  readonly storage: ObjectStorage;
  /** Half-made files; on the file system of the storage when that is a folder. */
  readonly spoolFolder: string;
}

export const createBackupFolder = ({ storage, spoolFolder }: BackupFolderOptions): BackupFolder => {
  let spooled = 0;

  const write: BackupFolder['write'] = async (key, source) => {
    await mkdir(spoolFolder, { recursive: true, mode: 0o700 });
    const path = join(spoolFolder, `${process.pid}-${++spooled}`);
    const { stream, result } = measuring();
    try {
      await pipeline(Readable.from(source), stream, createWriteStream(path, { mode: 0o600, flush: true }));
      await storage.adopt(key, path);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    return { key, ...result() };
  };

  const check: BackupFolder['check'] = async ({ key, bytes, sha256 }) => {
    const info = await storage.stat(key);
    if (info === undefined) throw damaged(`${key} is missing`);
    if (info.size !== bytes) throw damaged(`${key} has ${info.size} bytes of ${bytes}`);
    const { stream, result } = measuring();
    stream.resume();
    await pipeline(await storage.read(key), stream);
    if (result().sha256 !== sha256) throw damaged(`${key} holds other bytes than were written`);
  };

  const keys = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of storage.list()) found.push(key);
    return found;
  };

  const read = async (key: string): Promise<Buffer> => textIn(await storage.read(key));

  return {
    write,
    check,
    read: (key) => storage.read(key),

    async list() {
      return (await keys())
        .flatMap((key) => /^snapshots\/([\w-]+)\/complete\.json$/.exec(key)?.[1] ?? [])
        .sort();
    },

    async manifest(id) {
      if ((await storage.stat(completeKey(id))) === undefined)
        throw invalid('no_backup', `There is no complete backup ${id}. Nothing was changed.`);
      try {
        await check({ key: manifestKey(id), ...parseComplete(String(await read(completeKey(id)))) });
        return parseManifest(String(await read(manifestKey(id))));
      } catch (error) {
        if (error instanceof AppError) throw error;
        throw damaged(`the manifest of ${id} cannot be read (${messageOf(error).slice(0, 200)})`);
      }
    },

    async has({ key, bytes }) {
      return (await storage.stat(key))?.size === bytes;
    },

    async complete(manifest) {
      const { bytes, sha256 } = await write(manifestKey(manifest.id), once(JSON.stringify(manifest)));
      await write(completeKey(manifest.id), once(JSON.stringify({ bytes, sha256 })));
    },

    async sweep(kept) {
      const needed = new Set(
        kept.flatMap(({ id, catalog, segments }) => [
          completeKey(id),
          manifestKey(id),
          ...catalog.map(({ key }) => key),
          ...segments.map(({ key }) => key),
        ]),
      );
      const gone = (await keys()).filter((key) => /^(snapshots|segments)\//.test(key) && !needed.has(key));
      // The sign that it is complete goes first.
      gone.sort((a, b) => Number(b.endsWith('complete.json')) - Number(a.endsWith('complete.json')));
      for (const key of gone) await storage.delete(key);
      return gone.length;
    },
  };
};

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
