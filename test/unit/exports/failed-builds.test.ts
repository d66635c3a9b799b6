import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { createBuilds } from '../../../src/exports/builds.js';
import { AppError } from '../../../src/lib/errors.js';
import { firstBytes } from '../../../src/lib/first-bytes.js';
import { logOptions, silentLog } from '../../../src/lib/log.js';
import type { ObjectStorage } from '../../../src/storage/objects/object-storage.js';

const folder = await mkdtemp(join(tmpdir(), 'tabulary-failed-'));
afterAll(() => rm(folder, { recursive: true }));

it.each([
  ['info', 'whose version is replaced meanwhile', new AppError('unavailable', 'version_gone', 'Replaced.')],
  ['error', 'whose rows cannot be read', new AppError('unavailable', 'store_unavailable', 'Away.')],
  ['error', 'that cannot be written', new Error('ENOSPC')],
])('a failed build is logged at level %s: a file %s', async (level, _, error) => {
  const lines: { level: string; msg: string }[] = [];
  const options = logOptions('test', 'info');
  const log = pino(
    { ...options, formatters: { level: (name) => ({ level: name }) } },
    { write: (line: string) => lines.push(JSON.parse(line)) },
  );
  const builds = createBuilds({ spoolFolder: folder, storage: {} as ObjectStorage, log });
  const build = builds.start('1/a.csv', () => Promise.reject(error));
  await expect(build.done).rejects.toBe(error);
  expect(lines.map((line) => [line.level, line.msg])).toEqual([[level, 'export file failed']]);
});

it('a build that fails before its reader listens gives the error to the reader, and ends nothing else', async () => {
  const builds = createBuilds({ spoolFolder: folder, storage: {} as ObjectStorage, log: silentLog });
  const failure = new Error('ENOSPC');
  const build = builds.start('2/a.csv', () => Promise.reject(failure));
  const stream = build.follow();
  await expect(build.done).rejects.toBe(failure);
  await expect.poll(() => stream.destroyed).toBe(true);
  await expect(firstBytes(stream)).rejects.toBe(failure);
});
