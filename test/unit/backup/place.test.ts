import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { openStorageAt } from '../../../src/compose/export-storage.js';
import { loadConfig } from '../../../src/config.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';

const open = (place: string) => openStorageAt(loadConfig({}), place, createScope(silentLog));

it.each(['gs://bucket/x', 'S3://bucket/x', 's3:/bucket/x', 'file://host/x', 'https://host/x', 'FILE:/x'])(
  'a backup at %s is refused',
  async (place) => {
    await expect(open(place)).rejects.toMatchObject({ code: 'usage' });
  },
);

it('a folder may be given as an address', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'place-'));
  try {
    expect(await open(String(pathToFileURL(folder)))).toMatchObject({ spoolFolder: join(folder, '.spool') });
    expect(await open(folder)).toMatchObject({ spoolFolder: join(folder, '.spool') });
  } finally {
    await rm(folder, { recursive: true });
  }
});
