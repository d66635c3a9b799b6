import type * as FileSystem from 'node:fs/promises';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, it, vi } from 'vitest';
import { createBuilds } from '../../../src/exports/builds.js';
import { silentLog } from '../../../src/lib/log.js';
import type { ObjectStorage } from '../../../src/storage/objects/object-storage.js';

/** Files that accept at most 1,000 bytes per write, like a disk that is full for a moment. */
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof FileSystem>();
  return {
    ...fs,
    async open(...args: Parameters<typeof fs.open>) {
      const file = await fs.open(...args);
      const write = file.write.bind(file) as (bytes: Buffer, from: number, length: number) => unknown;
      const short = (bytes: Buffer, from = 0) => write(bytes, from, Math.min(1_000, bytes.length - from));
      return Object.assign(file, { write: short });
    },
  };
});

const folder = await mkdtemp(join(tmpdir(), 'tabulary-short-'));
afterAll(() => rm(folder, { recursive: true }));

it('an export file and the stream that follows it are complete when the disk accepts only part of a write', async () => {
  const chunks = [Buffer.alloc(2_500, 'a'), Buffer.alloc(1_000, 'b'), Buffer.alloc(4_321, 'c')];
  let stored = Buffer.alloc(0);
  const storage = {
    async adopt(_key: string, path: string) {
      stored = await readFile(path);
    },
  } as ObjectStorage;
  const builds = createBuilds({ spoolFolder: folder, storage, log: silentLog });
  const build = builds.start('1/a.csv', async () => Readable.from(chunks));
  const followed = buffer(build.follow());
  await build.done;
  expect(stored.equals(Buffer.concat(chunks))).toBe(true);
  expect((await followed).equals(Buffer.concat(chunks))).toBe(true);
});
