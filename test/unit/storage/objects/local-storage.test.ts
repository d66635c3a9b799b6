import { mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGuardedStorage, createLocalStorage } from '../../../../src/storage/objects/local-storage.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-storage-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = async (key: string): Promise<void> => {
  await mkdir(join(folder, 'spool'), { recursive: true });
  const path = join(folder, 'spool', `${Math.random()}.part`);
  await writeFile(path, key);
  await createLocalStorage(folder).adopt(key, path);
};

describe('local storage', () => {
  it('removes the folder of a version with its last file', async () => {
    const storage = createLocalStorage(folder);
    await put('v1/table.csv');
    await put('v1/transposed.csv');
    await storage.delete('v1/table.csv');
    expect(await readdir(join(folder, 'v1'))).toEqual(['transposed.csv']);
    await storage.delete('v1/transposed.csv');
    await storage.delete('v1/transposed.csv');
    expect(await readdir(folder)).toEqual(['spool']);
  });

  it.each([
    ['local', createLocalStorage],
    ['guarded', (path: string) => createGuardedStorage(path, (what) => new Error(what))],
  ])('lists all files while folders are removed: %s', async (_name, create) => {
    await put('v500/table.csv');
    await rmdir(join(folder, 'spool'));
    const empty = Array.from({ length: 400 }, (_, at) => join(folder, `v${at}`));
    for (const path of empty) await mkdir(path);
    const listing = (async () => {
      const keys: string[] = [];
      for await (const { key } of create(folder).list()) keys.push(key);
      return keys;
    })();
    await Promise.all(empty.map((path) => rmdir(path)));
    expect(await listing).toEqual(['v500/table.csv']);
  });

  it('never removes its own folder', async () => {
    const storage = createLocalStorage(join(folder, 'spool'));
    await put('v1/table.csv');
    await storage.delete('alone');
    expect(await readdir(folder)).toContain('spool');
  });

  it('stores files in a folder that concurrent deletes keep removing', async () => {
    const storage = createLocalStorage(folder);
    const turns = Array.from({ length: 40 }, async (_, at) => {
      const key = `v7/${at}.csv`;
      await put(key);
      expect(await storage.stat(key)).toBeDefined();
      await storage.delete(key);
    });
    await Promise.all(turns);
    expect(await readdir(folder)).toEqual(['spool']);
  });
});
