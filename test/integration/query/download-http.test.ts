import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ReadableVersion } from '../../../src/model/version.js';
import { createDownloadServer, type DownloadServer } from './download-server.js';
import { createStoredTables, type StoredTables } from './stored-table.js';

let tables: StoredTables;
let server: DownloadServer;
let panel: ReadableVersion;

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
  server = await createDownloadServer(tables.reader);
  panel = await tables.add(
    [
      { name: 'Country', physical: 's' },
      { name: 'Date', physical: 'd' },
      { name: 'GDP', physical: 'f' },
    ],
    [
      ['A', '2020-01-01', 1],
      ['A', '2020-01-02', null],
      ['B', '2020-01-01', 3],
    ],
  );
});

afterAll(async () => {
  await server.close();
  await tables.close();
});

const get = (query: string, init: RequestInit = {}) => fetch(server.dataUrl(panel, query), init);

describe('parameters', () => {
  it.each(['combineEntities=true', 'includeIds=true', 'dropNA=true', 'transpose=true&$top=2'])(
    'are the same with and without a dollar: %s',
    async (query) => {
      const [plain, dollar] = await Promise.all([get(query), get(`$${query}`)]);
      expect(plain.status).toBe(200);
      expect(await dollar.text()).toBe(await plain.text());
      expect(dollar.headers.get('etag')).toBe(plain.headers.get('etag'));
    },
  );

  it('are refused when they are given in both spellings', async () => {
    expect((await get('transpose=true&$transpose=true')).status).toBe(400);
  });

  it('of decimals are for JSON, whoever asked for another format, and however', async () => {
    const refused = await get('$decimals=string');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: expect.stringContaining('$decimals is for $format=json'),
    });
    expect((await get('$decimals=string&transpose=true')).status).toBe(400);
    expect((await get('$decimals=string', { headers: { accept: 'text/csv' } })).status).toBe(400);
    const json = await get('$decimals=string', { headers: { accept: 'application/json' } });
    expect(await json.json()).toMatchObject([{ GDP: '1' }, { GDP: null }, { GDP: '3' }]);
  });
});

describe('dropNA with $last', () => {
  it('drops rows of the last dates, which may have nothing but nulls', async () => {
    const answer = await get('dropNA=true&$last=1&$orderby=Date');
    expect(await answer.text()).toBe('"Country","Date","GDP"\r\n');
    expect(answer.headers.get('row-count')).toBe('3');
    const two = await get('dropNA=true&$last=2&$count=true');
    expect(await two.text()).toBe('2');
  });
});

describe('HEAD', () => {
  it('of a whole file is no export', async () => {
    const before = server.counted.length;
    const head = await get('', { method: 'HEAD', redirect: 'manual' });
    expect(head.status).toBe(302);
    expect(server.counted).toHaveLength(before);
    expect((await get('')).status).toBe(200);
    expect(server.counted).toHaveLength(before + 1);
  });
});

describe('an answer without rows', () => {
  it.each([
    ['csv', '"Country","Date","GDP"\r\n'],
    ['tsv', '"Country"\t"Date"\t"GDP"\r\n'],
  ])('is a header in %s', async (format, expected) => {
    expect(await (await get(`$format=${format}&$top=0`)).text()).toBe(expected);
    expect(await (await get(`$format=${format}&$filter=GDP gt 9`)).text()).toBe(expected);
  });

  it.each(['json', 'xlsx', 'parquet', 'arrow'])(
    'is a whole file in %s, transposed as well',
    async (format) => {
      const empty = await tables.add(
        [
          { name: 'Date', physical: 'd' },
          { name: 'a', physical: 'n76_3' },
          { name: 'b', physical: 's', isEntity: false },
        ],
        [],
      );
      for (const url of [
        server.dataUrl(panel, `$format=${format}&$filter=false`),
        server.dataUrl(panel, `$format=${format}&$filter=false&transpose=true`),
        server.dataUrl(empty, `$format=${format}&$last=1&$orderby=a desc`),
        server.dataUrl(empty, `$format=${format}&transpose=true&dropNA=true`),
      ]) {
        const answer = await fetch(url);
        const bytes = Buffer.from(await answer.arrayBuffer());
        expect([url, answer.status]).toEqual([url, 200]);
        expect(bytes.length).toBeGreaterThan(0);
        if (format === 'json') expect(JSON.parse(bytes.toString())).toEqual([]);
        if (format === 'parquet') expect(bytes.subarray(-4).toString()).toBe('PAR1');
        if (format === 'xlsx') expect(bytes.subarray(0, 2).toString()).toBe('PK');
      }
    },
  );
});
