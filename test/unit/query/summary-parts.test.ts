import { expect, it } from 'vitest';
import type { ReadableVersion } from '../../../src/model/version.js';
import { createSummaries } from '../../../src/query/summary/summaries.js';
import type { Reader } from '../../../src/storage/clickhouse/reader.js';
import { noSql, recorder, semaphore, signal, versions } from './recorded-downloads.js';

const createGate = () => {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve };
};

const wide = versions['many columns']!;

it('the summary of some columns has all of them, also if those of many other versions are computed meanwhile', async () => {
  const { reader } = recorder();
  const held = createGate();
  const begun = createGate();
  let holds = false;
  const slow: Reader = {
    ...reader,
    queryObjects: async (query) => {
      if (holds) {
        begun.resolve();
        await held.promise;
      }
      return reader.queryObjects(query);
    },
  };
  const summaries = createSummaries({ reader: slow, semaphore, calculations: semaphore, sql: noSql });
  const names = async (version: ReadableVersion, select: string): Promise<string[]> => {
    const target = { version, owner: 'me', context: { queryId: 'q', signal }, filter: undefined, select };
    const { columns } = await summaries.summarise(target);
    return columns.map((text) => (JSON.parse(text) as { name: string }).name);
  };
  expect(await names(wide, 'V1')).toEqual(['V1']);
  holds = true;
  const both = names(wide, 'V1,V2');
  await begun.promise;
  holds = false;
  const fifty = Array.from({ length: 50 }, (_, at) => `V${at}`).join(',');
  for (let at = 1; at <= 110; at += 1) await names({ ...wide, versionId: wide.versionId + at }, fifty);
  held.resolve();
  expect(await both).toEqual(['V1', 'V2']);
});
