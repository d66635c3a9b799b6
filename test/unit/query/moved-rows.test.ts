import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/lib/errors.js';
import { createDownloads } from '../../../src/query/download.js';
import { createPageTokens } from '../../../src/query/paging/page-token.js';
import { own, recorder, requestOf, semaphore, versions, versionsOf } from './recorded-downloads.js';

const renamed = { ...own, columns: own.columns.map((column) => ({ ...column, name: `${column.name}!` })) };

/** Downloads whose first read fails because the rows of the cached version have moved. */
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

describe('a read of a version with a copy', () => {
  const withCopy = versions.copy!;

  /** Downloads of the version; `forgotten` records for each forgotten version whether its copy was bad. */
  const downloadsOf = (open: () => Promise<Readable>) => {
    const forgotten: (boolean | undefined)[] = [];
    const downloads = createDownloads({
      versions: { ...versionsOf(withCopy), forget: (_, isCopyBad) => forgotten.push(isCopyBad) },
      reader: { ...recorder().reader, open },
      semaphore,
      pageTokens: createPageTokens('t'.repeat(32)),
    });
    return { downloads, forgotten };
  };
  const failure = new AppError('unexpected', 'query_failed', 'a part is damaged');

  it('forgets the copy if its read fails, but not if the client stops reading', async () => {
    for (const [error, expected] of [
      [failure, [true]],
      [new Error('the reader has stopped reading'), []],
    ] as const) {
      const { downloads, forgotten } = downloadsOf(async () => new PassThrough());
      const { body } = await downloads.open(await downloads.plan(request), request);
      body.on('error', () => undefined).destroy(error);
      await expect(finished(body)).rejects.toBe(error);
      expect(forgotten).toEqual(expected);
    }
  });

  it('keeps the copy if the failed statement read the segments', async () => {
    let reads = 0;
    const { downloads, forgotten } = downloadsOf(async () => {
      reads += 1;
      if (reads === 1) throw new AppError('unavailable', 'version_gone', 'the rows have moved');
      return Readable.from([Buffer.from('rows')]);
    });
    const parquet = requestOf({ $format: 'parquet', $skip: '1' });
    const { body } = await downloads.open(await downloads.plan(parquet), parquet);
    body.destroy();
    expect(forgotten).toEqual([false]);
  });
});
