import { expect, it } from 'vitest';
import { createExportFiles, type ExportFilesOptions } from '../../../src/exports/export-files.js';

const plan = {
  version: { datasetId: 1, versionId: 1, byteSize: 100, columns: [], createdAt: '2026-02-03T04:05:06Z' },
  wholeFile: 'table',
  format: 'csv',
  fingerprint: 'f',
};

/** Key of the file that an installation serves for a version. */
const servedBy = async (installation: string): Promise<string> => {
  const files = createExportFiles({
    installation,
    storage: { stat: async () => ({ size: 1, tag: 'tag' }) },
    files: { plan: async () => plan },
    builds: { current: () => undefined },
    folder: { use: () => undefined },
  } as unknown as ExportFilesOptions);
  const options = { whole: true, owner: 'ada', signal: new AbortController().signal };
  const ref = { datasetId: 1, versionId: 1, variant: 'table', format: 'csv', presentNames: true } as const;
  return (await files.find(ref, options)).key;
};

it('a restored backup, which is another installation, does not serve files that were made before the restore', async () => {
  expect(await servedBy('before')).toBe(await servedBy('before'));
  expect(await servedBy('restored')).not.toBe(await servedBy('before'));
});
