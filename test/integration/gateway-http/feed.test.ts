import ExcelJs from 'exceljs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Exchange,
  fixture,
  type ReplayUpstream,
  startReplayUpstream,
} from '../../support/replay-upstream.js';
import { type GatewayWorld, startGatewayWorld } from './world.js';

let world: GatewayWorld;
beforeAll(async () => {
  world = await startGatewayWorld({ providerKeys: 'fred=serviceserviceserviceservice0123' });
});
afterAll(() => world.close());

const get = (path: string, headers: Record<string, string> = {}) => world.ask('GET', path, { headers });

describe('search in the feed', () => {
  it.each(['monetary%20service%20index', 'monetary+service+index'])('decodes %s', async (query) => {
    const { results } = (await get(`/feed/search/${query}`)).json<{ results: Record<string, string>[] }>();
    expect(results.length).toBeGreaterThan(0);
    expect(Object.keys(results[0] ?? {}).sort()).toEqual(['frequency', 'id', 'title', 'units']);
  });
});

describe('data of a symbol', () => {
  const csv = [
    '"Date","Value"',
    '"1946-10-01",',
    '"1947-01-01",243.164',
    '"1947-04-01",245.968',
    '"1947-07-01",249.580',
  ];

  it('is CSV by default', async () => {
    const answer = await get('/feed/GDP/data');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="GDP.csv"');
    expect(answer.text).toBe(`${csv.join('\r\n')}\r\n`);
  });

  it('is available as TSV, as JSON with all digits and as a workbook', async () => {
    expect((await get('/feed/GDP/data?$format=tsv')).text.split('\r\n')[2]).toBe('"1947-01-01"\t243.164');
    const json = await get('/feed/GDP/data?$format=json');
    expect(json.text).toContain('{"Date":"1947-07-01","Value":249.580}');
    expect(json.json<object[]>()[0]).toEqual({ Date: '1946-10-01', Value: null });
    const sheet = await fetch(`${world.product.baseUrl}/feed/GDP/data?$format=xlsx`);
    expect(sheet.headers.get('content-type')).toContain('spreadsheetml');
    expect(
      Buffer.from(await sheet.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
  });

  it('has the format of the Accept header unless $format names one', async () => {
    const answer = await get('/feed/GDP/data', { Accept: 'application/json' });
    expect(answer.headers.get('content-type')).toBe('application/json');
    const everything = await get('/feed/GDP/data', { Accept: 'application/json, text/plain, */*' });
    expect(everything.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const named = await get('/feed/GDP/data?$format=Json', { Accept: 'text/csv' });
    expect(named.headers.get('content-type')).toBe('application/json');
  });

  it('is limited by start, end and $top', async () => {
    const range = '/feed/GDP/data?start=1947-01-01&end=1947-07-01';
    expect((await get(range)).text.trim().split('\r\n').slice(1)).toEqual(csv.slice(2));
    expect((await get(`${range}&$top=1`)).text.trim().split('\r\n').slice(1)).toEqual(csv.slice(2, 3));
  });

  it('is 304 for the same rows in the same format', async () => {
    const etag = (await get('/feed/GDP/data')).headers.get('etag') ?? '';
    expect((await get('/feed/GDP/data', { 'If-None-Match': etag })).status).toBe(304);
    expect((await get('/feed/GDP/data?$format=json', { 'If-None-Match': etag })).status).toBe(200);
  });

  it.each(['$format=pdf', '$top=-1', '$top=x', 'start=1.1.2020', 'start=2020-02-30', 'colour=red'])(
    '?%s is 400',
    async (query) => {
      expect((await get(`/feed/GDP/data?${query}`)).status).toBe(400);
    },
  );

  it.each([
    ['%5EGSPC', '^GSPC'],
    ['BRK.B', 'BRK.B'],
    ['EURUSD%3DX', 'EURUSD=X'],
    ['A%2FB', 'A/B'],
  ])('decodes the symbol %s as %s', async (encoded, symbol) => {
    const answer = await get(`/feed/${encoded}/data`);
    expect(answer.status).toBe(404);
    expect(answer.json().error).toContain(`'${symbol}'`);
  });
});

describe('a feed of another provider', () => {
  const key = 'alphaalphaalpha1';
  const days = { '2026-03-13': '5638.9400', '2026-03-12': '5521.52', '2026-03-11': '5599.3000' };
  // Format of a recorded reply, with symbols that were not recorded.
  const daily = (symbol: string) => ({
    'Meta Data': { '1. Information': 'Daily Prices', '2. Symbol': symbol, '5. Time Zone': 'US/Eastern' },
    'Time Series (Daily)': Object.fromEntries(
      Object.entries(days).map(([day, close]) => [
        day,
        { '1. open': '1.0', '2. high': '1.0', '3. low': '1.0', '4. close': close, '5. volume': '10' },
      ]),
    ),
  });
  const stock = (symbol: string): Exchange => ({
    path: '/query',
    query: { function: 'TIME_SERIES_DAILY', symbol, outputsize: 'full' },
    reply: daily(symbol),
  });

  let alpha: ReplayUpstream;
  let other: GatewayWorld;
  beforeAll(async () => {
    alpha = await startReplayUpstream(
      [
        ...['^GSPC', 'BRK.B', 'IBM'].map(stock),
        {
          path: '/query',
          query: { function: 'FX_DAILY', from_symbol: 'EUR', to_symbol: 'USD', outputsize: 'full' },
          reply: fixture('providers/alphavantage/fx-EURUSD.json'),
        },
        {
          path: '/query',
          query: { function: 'SYMBOL_SEARCH', keywords: 'tesco & co' },
          reply: fixture('providers/alphavantage/search.json'),
        },
      ],
      { ignoredQuery: ['apikey'] },
    );
    other = await startGatewayWorld({
      feedProvider: 'alphavantage',
      providerKeys: `alphavantage=${key}`,
      providerUrls: `alphavantage=${alpha.baseUrl}`,
    });
  });
  afterAll(async () => {
    await other.close();
    await alpha.close();
  });
  const ask = (path: string) => other.ask('GET', `/feed/${path}`);

  it.each([
    ['%5EGSPC', '^GSPC'],
    ['BRK.B', 'BRK.B'],
    ['EURUSD%3DX', 'EURUSD=X'],
  ])('has rows for %s in every format, from one request', async (encoded, symbol) => {
    const csv = await ask(`${encoded}/data`);
    expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [header, ...lines] = csv.text.trim().split('\r\n');
    expect(header).toBe('"Date","Value"');
    const dates = lines.map((line) => line.slice(1, 11));
    expect(dates).toEqual([...dates].sort());
    expect(dates.length).toBeGreaterThan(0);
    const tsv = await ask(`${encoded}/data?$format=tsv`);
    expect(tsv.text).toBe(csv.text.replaceAll(',', '\t'));
    const json = (await ask(`${encoded}/data?$format=json`)).json<{ Date: string }[]>();
    expect(json.map(({ Date: day }) => day)).toEqual(dates);
    const sheet = await fetch(`${other.product.baseUrl}/feed/${encoded}/data?$format=xlsx`);
    const workbook = new ExcelJs.Workbook();
    await workbook.xlsx.load(await sheet.arrayBuffer());
    expect(workbook.worksheets[0]?.rowCount).toBe(dates.length + 1);
    const [about, ...more] = workbook.worksheets.slice(1);
    expect(more).toEqual([]);
    expect(about?.name).toBe('Series');
    expect([1, 2].map((row) => about?.getRow(row).values)).toEqual([
      expect.arrayContaining(['Series', 'Parameters', 'Unit multiplier', 'Attribution']),
      expect.arrayContaining([symbol, 'alphavantage', 'Alpha Vantage']),
    ]);
    // One request served all formats, with the symbol encoded as one value.
    const prices = alpha.calls.filter(({ url }) => !url.includes('SYMBOL_SEARCH'));
    const requests = prices.filter(({ url }) => url.includes(encodeURIComponent(symbol.slice(0, 3))));
    expect(requests).toHaveLength(1);
    expect(csv.text + csv.headers.get('content-disposition')).not.toContain(key);
  });

  it('applies start, end and $top in this order', async () => {
    const rows = async (query: string) =>
      (await ask(`%5EGSPC/data?${query}`)).text.trim().split('\r\n').slice(1);
    expect(await rows('$top=2')).toEqual(['"2026-03-11",5599.3000', '"2026-03-12",5521.52']);
    expect(await rows('end=2026-03-12')).toHaveLength(2);
    expect(await rows('$top=0')).toEqual([]);
    expect((await ask('%5EGSPC/data?start=2026-03-12&end=2026-03-11')).status).toBe(400);
  });

  it('searches that provider, with an encoded & in the query', async () => {
    const { results } = (await ask('search/tesco+%26+co')).json<{ results: Record<string, string>[] }>();
    expect(results[0]).toMatchObject({ id: 'BA', frequency: 'Daily' });
  });
});
