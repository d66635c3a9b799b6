import { mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createBuilds } from '../../../src/exports/builds.js';
import { silentLog } from '../../../src/lib/log.js';
import type { ObjectStorage } from '../../../src/storage/objects/object-storage.js';

const spoolFolder = await mkdtemp(join(tmpdir(), 'tabulary-spool-'));
afterAll(() => rm(spoolFolder, { recursive: true }));

it('removes abandoned files, and skips files that disappear meanwhile', async () => {
  // Listed, but missing for stat, like a file that was just removed.
  for (const name of ['a', 'z']) await symlink('nowhere', join(spoolFolder, `${name}.part`));
  await writeFile(join(spoolFolder, 'm.part'), 'half');
  await writeFile(join(spoolFolder, 'n.part'), 'half');
  const hoursAgo = Date.now() / 1000 - 7_200;
  await utimes(join(spoolFolder, 'm.part'), hoursAgo, hoursAgo);
  await createBuilds({ spoolFolder, storage: {} as ObjectStorage, log: silentLog }).tidy();
  expect((await readdir(spoolFolder)).sort()).toEqual(['a.part', 'n.part', 'z.part']);
});
