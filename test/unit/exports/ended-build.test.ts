import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Build, Builds } from '../../../src/exports/builds.js';
import { createExportFiles, type ExportFilesOptions } from '../../../src/exports/export-files.js';
import type { FileRef } from '../../../src/exports/links.js';
import { AppError } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';
import type { ObjectStorage } from '../../../src/storage/objects/object-storage.js';

const plan = {
  version: { datasetId: 1, versionId: 1, byteSize: 100, columns: [], createdAt: '2026-02-03T04:05:06Z' },
  wholeFile: 'table',
  format: 'csv',
  fingerprint: 'f',
};

/** Export files whose builds fail, and leave the list of builds long before their promise rejects. */
const failing = (): ReturnType<typeof createExportFiles> => {
  let running: Build | undefined;
  const builds: Partial<Builds> = {
    current: () => running,
    start: () => {
      const done = (async () => {
        await delay(50);
        running = undefined;
        await delay(400);
        throw new AppError(
          'unavailable',
          'version_gone',
          'The version was replaced while it was read; try again.',
        );
      })();
      running = { done, follow: () => expect.unreachable('the build has ended') };
      return running;
    },
  };
  return createExportFiles({
    storage: { stat: async () => undefined } as Partial<ObjectStorage>,
    files: { plan: async () => plan },
    builds,
    log: silentLog,
  } as unknown as ExportFilesOptions);
};

it.each([false, true])(
  'a file whose build fails is rejected with the error of the build, not as unknown (whole: %s)',
  async (whole) => {
    const options = { whole, owner: 'ada', signal: new AbortController().signal };
    await expect(failing().find({ fingerprint: 'f' } as FileRef, options)).rejects.toMatchObject({
      code: 'version_gone',
    });
  },
);
