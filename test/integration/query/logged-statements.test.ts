import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { logOptions } from '../../../src/lib/log.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { createDownloads } from '../../../src/query/download.js';
import { parseOptions } from '../../../src/query/options/options.js';
import { createPageTokens } from '../../../src/query/paging/page-token.js';
import { querySemaphore } from '../../support/query-semaphore.js';
import { createStoredTables, type StoredTables } from './stored-table.js';

const lines: string[] = [];
const log = pino(logOptions('test', 'debug'), { write: (line: string) => lines.push(line) });

let tables: StoredTables;
let version: ReadableVersion;

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'), { log });
  version = await tables.add(
    [
      { name: 'Date', physical: 'd' },
      { name: 'Country', physical: 's' },
      { name: 'Price', physical: 'f' },
    ],
    [
      ['2020-01-01', 'France', 1],
      ['2020-02-01', 'Spain', 2],
    ],
  );
});

afterAll(() => tables.close());

it('each statement of a request is logged with its id, and without values that the caller sent', async () => {
  const downloads = createDownloads({
    pageTokens: createPageTokens('t'.repeat(32)),
    versions: {
      find: async () => version,
      at: async () => version.versionId,
      remembered: () => version,
      forget: () => undefined,
    },
    reader: tables.reader,
    semaphore: querySemaphore({ maxRunning: 4, queueLength: 4, maxWaitMs: 60_000 }),
  });
  const request = {
    dataset: { id: 1, currentVersionId: version.versionId, columnsRevision: 0 },
    options: parseOptions({ $filter: "Country eq 'France'", transpose: 'true' }),
    format: 'csv' as const,
    owner: 'me',
    signal: new AbortController().signal,
    requestId: 'the-request',
  };
  lines.length = 0;
  const { body } = await downloads.open(await downloads.plan(request), request);
  expect(await text(body)).toContain('France');
  const sent = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'query sent');
  // The dates, the size and the rows of a transposed table.
  expect(sent.length).toBeGreaterThanOrEqual(3);
  for (const { requestId, queryId, sql, level } of sent) {
    expect([requestId, level]).toEqual(['the-request', 20]);
    expect(queryId).toMatch(/^the-request-/);
    expect(sql).toMatch(/^SELECT[\s\S]*FORMAT \w+$/);
  }
  expect(lines.join('')).not.toContain('France');
});
