import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayWorld, startGatewayWorld } from './world.js';

let world: GatewayWorld;
beforeAll(async () => {
  world = await startGatewayWorld({ providerKeys: 'fred=serviceserviceserviceservice0123' });
});
afterAll(() => world.close());

const get = (path: string, headers: Record<string, string> = {}) => world.ask('GET', path, { headers });

describe('search in the feed', () => {
  it.each(['monetary%20service%20index', 'monetary+service+index'])('reads %s', async (query) => {
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

  it('is CSV as downloads are', async () => {
    const answer = await get('/feed/GDP/data');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="GDP.csv"');
    expect(answer.text).toBe(`${csv.join('\r\n')}\r\n`);
  });

  it('is TSV, JSON with all digits, and a workbook', async () => {
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

  it('takes the form from Accept when none is named', async () => {
    const answer = await get('/feed/GDP/data', { Accept: 'application/json' });
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  it('is cut by start, end and $top', async () => {
    const range = '/feed/GDP/data?start=1947-01-01&end=1947-07-01';
    expect((await get(range)).text.trim().split('\r\n').slice(1)).toEqual(csv.slice(2));
    expect((await get(`${range}&$top=1`)).text.trim().split('\r\n').slice(1)).toEqual(csv.slice(2, 3));
  });

  it('is 304 for the same rows in the same form', async () => {
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
  ])('takes %s as %s', async (encoded, symbol) => {
    const answer = await get(`/feed/${encoded}/data`);
    expect(answer.status).toBe(404);
    expect(answer.json().error).toContain(`'${symbol}'`);
  });
});
