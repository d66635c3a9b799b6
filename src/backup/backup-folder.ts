import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, conflict, invalid, messageOf } from '../lib/errors.js';
import type { ObjectStorage } from '../storage/objects/object-storage.js';
import {
  completeKey,
  isBackupId,
  type Manifest,
  manifestKey,
  maxCompleteBytes,
  maxManifestBytes,
  parseComplete,
  parseManifest,
  type StoredFile,
} from './manifest.js';
import { isSignedBy, signatureOf } from './signature.js';

/** Location of backups: a folder, or a bucket and a prefix. */
export interface BackupFolder {
  /** Ids of complete backups, oldest first. */
  list(): Promise<string[]>;
  /**
   * @throws AppError 400 `backup_damaged`; `no_backup` if there is no complete backup with this id; `backup_not_signed` if there is a key
   *   that did not sign it.
   */
  manifest(id: string): Promise<Manifest>;
  /** Like `manifest`, but accepts a backup that no key of ours signed: its rows must not become part of a signed backup. */
  readManifest(id: string): Promise<{ readonly manifest: Manifest; readonly trusted: boolean }>;
  /** Writes a file that only its owner can read, whole or not at all. */
  write(key: string, source: AsyncIterable<Buffer>): Promise<StoredFile>;
  /** The stream fails with `backup_damaged` if the bytes differ from what was written, even if they were compared before. */
  read(file: StoredFile): Promise<Readable>;
  /** True when there is a file of this size. */
  has(file: StoredFile): Promise<boolean>;
  /** Reads the whole file. @throws AppError 400 `backup_damaged` if it differs from what was written. */
  check(file: StoredFile): Promise<void>;
  /** Marks a backup as complete; from now on it is listed. */
  complete(manifest: Manifest): Promise<void>;
  /** Keys of all files of backups, complete or not. */
  files(): Promise<ReadonlySet<string>>;
  /** Removes those of the given files that none of these backups needs. Returns their number. */
  sweep(kept: readonly Manifest[], files: ReadonlySet<string>): Promise<number>;
  /** Removes files that killed backups were writing. No other backup may be under way. */
  removeUnfinished(): Promise<void>;
}

export const damaged = (what: string): AppError =>
  invalid('backup_damaged', `The backup is damaged: ${what}. Nothing was changed.`);

/** Counts and hashes the bytes that pass. */
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

/** Passes on what it reads. @throws AppError `backup_damaged` before the end if the bytes differ from what was written. */
async function* compared(
  source: AsyncIterable<Buffer>,
  { key, bytes, sha256 }: StoredFile,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let seen = 0;
  for await (const part of source) {
    seen += part.length;
    if (seen > bytes) throw damaged(`${key} has more than ${bytes} bytes`);
    hash.update(part);
    yield part;
  }
  if (seen < bytes) throw damaged(`${key} has ${seen} bytes of ${bytes}`);
  if (hash.digest('hex') !== sha256) throw damaged(`${key} differs from what was written`);
}

const bytesOf = async (key: string, source: AsyncIterable<Buffer>, most: number): Promise<Buffer> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of source) {
    bytes += part.length;
    if (bytes > most) throw damaged(`${key} has more than ${most} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
};

interface BackupFolderOptions {
  readonly storage: ObjectStorage;
  /** Unfinished files; on the file system of the storage if that is a folder. */
  readonly spoolFolder: string;
  /** Keys of signatures; the first one signs. Without keys backups are not signed, and none needs a signature. */
  readonly keys?: readonly string[] | undefined;
}

export const createBackupFolder = ({
  storage,
  spoolFolder,
  keys: secrets = [],
}: BackupFolderOptions): BackupFolder => {
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

  const read: BackupFolder['read'] = async (file) => {
    const info = await storage.stat(file.key);
    if (info === undefined) throw damaged(`${file.key} is missing`);
    if (info.size !== file.bytes) throw damaged(`${file.key} has ${info.size} bytes of ${file.bytes}`);
    return Readable.from(compared(await storage.read(file.key), file), { objectMode: false });
  };

  const check: BackupFolder['check'] = async (file) => {
    for await (const _ of await read(file));
  };

  const keys = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of storage.list()) found.push(key);
    return found;
  };

  /** Both are parsed from exactly the bytes that were compared. */
  const readManifest: BackupFolder['readManifest'] = async (id) => {
    if (!isBackupId(id)) throw invalid('no_backup', `${id.slice(0, 80)} is not the id of a backup.`);
    const complete = completeKey(id);
    if ((await storage.stat(complete)) === undefined)
      throw invalid('no_backup', `There is no complete backup ${id}. Nothing was changed.`);
    try {
      const end = await bytesOf(complete, await storage.read(complete), maxCompleteBytes);
      const { signature, ...file } = parseComplete(String(end));
      const key = manifestKey(id);
      const bytes = await bytesOf(key, await read({ key, ...file }), maxManifestBytes);
      const trusted =
        secrets.length === 0 || (signature !== undefined && isSignedBy(secrets, bytes, signature));
      return { manifest: parseManifest(id, String(bytes)), trusted };
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw damaged(`the manifest of ${id} cannot be read (${messageOf(error).slice(0, 200)})`);
    }
  };

  return {
    write,
    check,
    read,
    readManifest,

    async list() {
      return (await keys())
        .flatMap((key) => /^snapshots\/([\w-]+)\/complete\.json$/.exec(key)?.[1] ?? [])
        .sort();
    },

    async manifest(id) {
      const { manifest, trusted } = await readManifest(id);
      if (!trusted)
        throw invalid(
          'backup_not_signed',
          `Backup ${id} is not signed by a key of BACKUP_KEY. Nothing was changed. If you trust the place it comes from, leave BACKUP_KEY out.`,
        );
      return manifest;
    },

    async has({ key, bytes }) {
      return (await storage.stat(key))?.size === bytes;
    },

    async complete(manifest) {
      const text = Buffer.from(JSON.stringify(manifest));
      if (text.length > maxManifestBytes)
        throw conflict('manifest_too_large', 'The backup has too many segments for one manifest.');
      const { bytes, sha256 } = await write(manifestKey(manifest.id), once(text));
      const end = { bytes, sha256, signature: signatureOf(secrets, text) };
      await write(completeKey(manifest.id), once(Buffer.from(JSON.stringify(end))));
    },

    async files() {
      return new Set((await keys()).filter((key) => /^(snapshots|segments)\//.test(key)));
    },

    async removeUnfinished() {
      // The spool folder of a bucket may hold other files.
      const names = await readdir(spoolFolder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      for (const name of names.filter((one) => /^\d+-\d+$/.test(one)))
        await rm(join(spoolFolder, name), { force: true });
    },

    async sweep(kept, files) {
      const needed = new Set(
        kept.flatMap(({ id, catalog, segments }) => [
          completeKey(id),
          manifestKey(id),
          ...catalog.map(({ key }) => key),
          ...segments.map(({ key }) => key),
        ]),
      );
      const unneeded = [...files].filter((key) => !needed.has(key));
      // The completion marker is removed first.
      unneeded.sort((a, b) => Number(b.endsWith('complete.json')) - Number(a.endsWith('complete.json')));
      for (const key of unneeded) await storage.delete(key);
      return unneeded.length;
    },
  };
};

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
