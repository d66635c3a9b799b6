import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/lib/errors.js';
import { createDownloads } from '../../../src/query/download.js';
import { createPageTokens } from '../../../src/query/paging/page-token.js';
import { own, recorder, requestOf, semaphore, versionsOf } from './recorded-downloads.js';

const renamed = { ...own, columns: own.columns.map((column) => ({ ...column, name: `${column.name}!` })) };

/** Downloads whose first read finds the rows of the cached version gone. */
const downloadsWith = (found: typeof own) => {
  const { reader } = recorder();
  let reads = 0;
  const open = async (): Promise<Readable> => {
    reads += 1;
    if (reads === 1) throw new AppError('unavailable', 'version_gone', 'the rows have moved');
    return Readable.from([Buffer.from('rows')]);
  };
  return createDownloads({
    versions: { ...versionsOf(own), find: async () => found },
    reader: { ...reader, open },
    semaphore,
    pageTokens: createPageTokens('t'.repeat(32)),
  });
};

const request = requestOf({ $format: 'json', $skip: '1' });

describe('a read of rows that have moved', () => {
  it('is repeated at their new place', async () => {
    const downloads = downloadsWith({ ...own, segmentIds: [9_801] });
    const { body } = await downloads.open(await downloads.plan(request), request);
    expect(body.read()).toEqual(Buffer.from('rows'));
    body.destroy();
  });

  it('fails if columns were renamed after planning, as its ETag covers the old names', async () => {
    const downloads = downloadsWith(renamed);
    const answer = downloads.open(await downloads.plan(request), request);
    await expect(answer).rejects.toMatchObject({ code: 'version_gone' });
  });
});
