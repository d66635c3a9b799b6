/** The OData service of a dataset, over HTTP on the real product. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;
let stranger: Client;
let dataset: number;

/** Names with spaces and quotes, a day before 1970, 32 digits, nulls. */
const table = `Country name,Day,GDP (USD),Big,"Say ""x"""
France,1868-01-03,1.5,123456789012345678901234567890.25,a'b
Spain,2024-01-02,-2.25,1,
Größe,2024-01-03,,,"c ""d"""
`;

const names = {
  country: 'Country_x0020_name',
  gdp: 'GDP_x0020__x0028_USD_x0029_',
  note: 'Say_x0020__x0022_x_x0022_',
};

beforeAll(async () => {
  product = await startProduct();
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('owner')).key };
  stranger = { baseUrl: product.baseUrl, key: (await product.createAccount('stranger')).key };
  dataset = await createDataset(owner);
  expect(await upload(owner, dataset, table)).toMatchObject({ status: 'completed' });
});

afterAll(() => product?.close());

interface Page {
  readonly '@odata.context'?: string;
  readonly '@odata.count'?: number;
  readonly '@odata.nextLink'?: string;
  readonly value: readonly Record<string, unknown>[];
}

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

const rootOf = (id: number): string => `${product.baseUrl}/odata/datasets/${id}`;

const get = (path: string, headers: Record<string, string> = {}, id = dataset): Promise<Response> =>
  fetch(`${rootOf(id)}${path}`, { headers: { ...basic(owner.key, ''), ...headers } });

const query = (options: Readonly<Record<string, string>>): string =>
  Object.entries(options)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');

const page = async (options: Readonly<Record<string, string>>): Promise<Page> =>
  json<Page>(await get(`/Rows?${query(options)}`));

const countries = ({ value }: Page): unknown[] => value.map((row) => row[names.country]);

describe('documents', () => {
  it('answers with the service document at the root, with and without a slash', async () => {
    for (const path of ['', '/']) {
      const response = await get(path, { accept: 'application/atom+xml,application/xml,*/*' });
      expect(response.headers.get('odata-version')).toBe('4.0');
      expect(response.headers.get('content-type')).toContain('application/json;odata.metadata=minimal');
      expect(await json(response)).toEqual({
        '@odata.context': `${rootOf(dataset)}/$metadata`,
        value: [{ name: 'Rows', kind: 'EntitySet', url: 'Rows' }],
      });
    }
  });

  it('describes the columns in XML, with their names as annotations', async () => {
    const response = await get('/$metadata');
    expect(response.headers.get('content-type')).toContain('application/xml');
    const text = await response.text();
    expect(text).toContain('<Key><PropertyRef Name="_row"/></Key>');
    expect(text).toContain('<Property Name="Day" Type="Edm.Date"/>');
    expect(text).toContain(
      `<Property Name="${names.gdp}" Type="Edm.Decimal" Scale="variable"><Annotation Term="Tabulary.Name" String="GDP (USD)"/></Property>`,
    );
    expect(text).toContain(
      '<Property Name="Big" Type="Edm.String"><Annotation Term="Tabulary.Type" String="Edm.Decimal"/></Property>',
    );
    expect(text).toContain('String="Say &quot;x&quot;"');
  });

  it('describes the columns in JSON on request', async () => {
    for (const response of [
      await get('/$metadata', { accept: 'application/json' }),
      await get('/$metadata?$format=json'),
    ]) {
      expect(await json(response)).toMatchObject({
        $Version: '4.0',
        Tabulary: {
          Row: {
            $Key: ['_row'],
            Day: { $Type: 'Edm.Date' },
            [names.gdp]: { $Type: 'Edm.Decimal', '@Tabulary.Name': 'GDP (USD)' },
            Big: { '@Tabulary.Type': 'Edm.Decimal' },
          },
        },
      });
    }
  });
});

describe('rows', () => {
  it('arrive unchanged, with numbers beyond a double as strings', async () => {
    const { value, ...rest } = await page({});
    expect(rest).toEqual({ '@odata.context': `${rootOf(dataset)}/$metadata#Rows` });
    expect(value).toEqual([
      {
        _row: expect.stringMatching(/^\d+$/),
        [names.country]: 'France',
        Day: '1868-01-03',
        [names.gdp]: 1.5,
        Big: '123456789012345678901234567890.25',
        [names.note]: "a'b",
      },
      expect.objectContaining({ [names.country]: 'Spain', [names.gdp]: -2.25, Big: '1', [names.note]: null }),
      expect.objectContaining({
        [names.country]: 'Größe',
        [names.gdp]: null,
        Big: null,
        [names.note]: 'c "d"',
      }),
    ]);
  });

  it('accept system options whose names are percent-encoded', async () => {
    const found = await page({ $filter: `${names.country} eq 'Spain'`, $select: names.country });
    expect(found.value).toEqual([{ [names.country]: 'Spain' }]);
    expect(found['@odata.context']).toBe(`${rootOf(dataset)}/$metadata#Rows(${names.country})`);
    const sorted = await page({ $orderby: `${names.gdp} desc,_row`, $count: 'true', $top: '2', $skip: '1' });
    expect(countries(sorted)).toEqual(['Spain', 'Größe']);
    expect(sorted['@odata.count']).toBe(3);
    expect((await page({ $filter: 'Big gt 123456789012345678901234567890' })).value).toHaveLength(1);
    expect((await page({ $filter: 'Day lt 1970-01-01' })).value).toHaveLength(1);
    expect((await page({ $select: '_row', $top: '1' })).value).toEqual([{ _row: expect.any(String) }]);
  });

  it('of $apply have no key', async () => {
    const { value } = await page({ $apply: `aggregate(${names.gdp} with sum as Total)` });
    expect(value).toHaveLength(1);
    expect(Object.keys(value[0] ?? {})).toEqual(['Total']);
    expect(Number(value[0]?.Total)).toBe(-0.75);
    const refused = await get(`/Rows?${query({ $apply: 'top(1)', $select: '_row' })}`);
    expect(refused.status).toBe(400);
    const ordered = await get(`/Rows?${query({ $apply: 'top(1)', $orderby: '_row' })}`);
    expect(ordered.status).toBe(400);
    const named = `groupby((${names.country}),aggregate(${names.gdp} with sum as _row))`;
    const sorted = await page({ $apply: named, $orderby: '_row desc', $top: '1' });
    expect(Number(sorted.value[0]?._row)).toBeGreaterThan(0);
  });

  it('are not ordered by an empty item before the key', async () => {
    const refused = await get(`/Rows?${query({ $orderby: ',_row' })}`);
    expect(refused.status).toBe(400);
  });

  it('are counted by $count', async () => {
    const response = await get(`/Rows/$count?${query({ $filter: 'Big ne null' })}`);
    expect(response.headers.get('content-type')).toContain('text/plain');
    expect(await response.text()).toBe('2');
  });

  it('are found by their keys, and an unknown key is 404', async () => {
    const { value } = await page({});
    for (const row of value) {
      const found = await json<object>(await get(`/Rows('${String(row._row)}')`));
      expect(found).toEqual({ '@odata.context': `${rootOf(dataset)}/$metadata#Rows/$entity`, ...row });
    }
    const missing = await get("/Rows('18446744073709551615')");
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: { code: 'unknown_row' } });
    expect((await get("/Rows('99999999999999999999')")).status).toBe(404);
  });

  it('requested by key refuse options that filter, order or page', async () => {
    const [row] = (await page({})).value;
    const address = `/Rows('${String(row?._row)}')`;
    for (const option of [
      '$top=0',
      '$skip=1',
      '$filter=Big eq 1',
      '$orderby=Day',
      '$count=true',
      '$apply=filter(Big eq 1)',
    ]) {
      const refused = await get(`${address}?${option}`);
      expect([option, refused.status]).toEqual([option, 400]);
      expect(await refused.json()).toMatchObject({ error: { code: 'bad_option' } });
    }
    expect(await json(await get(`${address}?$select=Day`))).toMatchObject({ Day: '1868-01-03' });
  });

  it('have the annotations that odata.metadata requests, each before its property', async () => {
    const full = await get('/Rows?$top=1', { accept: 'application/json;odata.metadata=full' });
    const text = await full.text();
    expect(text).toContain(`"${names.gdp}@odata.type":"#Decimal","${names.gdp}":1.5`);
    expect(text).toContain('"Day@odata.type":"#Date","Day":"1868-01-03"');
    const [row] = (JSON.parse(text) as Page).value;
    expect(row?.['@odata.id']).toBe(`${rootOf(dataset)}/Rows('${String(row?._row)}')`);
    const none = await json<Page>(await get('/Rows?$format=application/json;odata.metadata=none'));
    expect(Object.keys(none)).toEqual(['value']);
  });

  it('have all numbers as strings with IEEE754Compatible=true', async () => {
    const exact = async (path: string, accept: string) => {
      const response = await get(path, { accept });
      expect(response.headers.get('content-type')).toContain('IEEE754Compatible=true');
      return json<Page>(response);
    };
    const accept = 'application/json;IEEE754Compatible=true';
    const all = await exact('/Rows?$count=true', accept);
    const plain = await json<Page>(await get('/Rows'));
    expect(all['@odata.count']).toBe(String(plain.value.length));
    for (const [at, row] of plain.value.entries()) {
      const texts = Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'number' ? String(value) : value,
      ]);
      expect(all.value[at]).toEqual(Object.fromEntries(texts));
    }
    const full = await exact(`/Rows?$top=1&$format=${accept};odata.metadata=full`, '*/*');
    expect(full.value[0]).toMatchObject({ Day: '1868-01-03', 'Day@odata.type': '#Date' });
  });

  it('are omitted for HEAD', async () => {
    const response = await fetch(`${rootOf(dataset)}/Rows`, {
      method: 'HEAD',
      headers: basic(owner.key, ''),
    });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

describe('pages', () => {
  it('have absolute next links that keep the version of the first page', async () => {
    const id = await createDataset(owner);
    await upload(owner, id, 'k,v\na,1\nb,2\nc,3\nd,2\ne,1\n');
    const headers = { ...basic(owner.key, ''), prefer: 'odata.maxpagesize=2' };
    const seen: unknown[] = [];
    let next: string | undefined = `${rootOf(id)}/Rows?%24orderby=v%20desc&%24top=4`;
    for (let number = 0; next !== undefined; number += 1) {
      const response: Response = await fetch(next, { headers });
      expect(response.headers.get('preference-applied')).toBe('odata.maxpagesize=2');
      const answer: Page = await json<Page>(response);
      seen.push(answer.value.map(({ k }) => k));
      next = answer['@odata.nextLink'];
      if (number === 0) {
        expect(next).toMatch(/^http:\/\//);
        await upload(owner, id, 'k,v\nz,9\n');
      }
    }
    expect(seen).toEqual([
      ['c', 'b'],
      ['d', 'a'],
    ]);
  });

  it('have between 10,000 and 25,000 rows unless fewer are requested', async () => {
    const id = await createDataset(owner);
    const rows = Array.from({ length: 30_000 }, (_, row) => `${row}\n`).join('');
    expect(await upload(owner, id, `n\n${rows}`)).toMatchObject({ status: 'completed', rows: 30_000 });
    const first = await json<Page>(await get('/Rows?$count=true', {}, id));
    expect(first['@odata.count']).toBe(30_000);
    expect(first.value.length).toBeGreaterThanOrEqual(10_000);
    expect(first.value.length).toBeLessThanOrEqual(25_000);
    expect(first['@odata.nextLink']).toBeDefined();
  });
});

describe('a refusal', () => {
  it('has the error format of OData', async () => {
    const cases = [
      ['/Rows?$filter=Nowhere eq 1', 400, 'unknown_column'],
      ['/Rows?$expand=Rows', 400, 'unknown_parameter'],
      ['/Rows?$top=x', 400, 'bad_option'],
      ['/Rows?$orderby=_row desc', 400, 'bad_option'],
      ['/Columns', 404, 'unknown_path'],
      ['/Rows/$value', 404, 'unknown_path'],
      ['/Rows/$count/more', 404, 'unknown_path'],
      ['/$batch', 405, 'wrong_method'],
      ['/Rows?$orderby=', 400, 'bad_option'],
      ["/Rows('007')", 404, 'unknown_path'],
      ['/Rows?$format=atom', 400, 'bad_option'],
      ['/Rows?$format=xml', 400, 'bad_option'],
      ['/?$format=application/xml', 400, 'bad_option'],
      ['/$metadata?$format=csv', 400, 'bad_option'],
    ] as const;
    for (const [path, status, code] of cases) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, status]);
      expect(response.headers.get('odata-version')).toBe('4.0');
      expect(await response.json()).toMatchObject({ error: { code, message: expect.any(String) } });
    }
  });

  it('is the answer to clients that accept only versions before 4.0', async () => {
    for (const [version, status] of [
      ['3.0', 400],
      ['4.0', 200],
      ['4.01', 200],
      ['x', 200],
    ] as const) {
      const response = await get('/Rows?$top=1', { 'odata-maxversion': version });
      expect([version, response.status]).toEqual([version, status]);
    }
  });

  it('has the status of the API for callers without access', async () => {
    const status = async (headers: Record<string, string>, id = dataset): Promise<number> =>
      (await fetch(`${rootOf(id)}/Rows`, { headers })).status;
    expect(await status({})).toBe(401);
    expect(await status(basic(stranger.key, ''))).toBe(403);
    expect(await status(basic(owner.key, ''), 999_999)).toBe(404);
  });

  it('is the answer to a wrong password, but to the key as password only outside of OData', async () => {
    const status = async (path: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(`${product.baseUrl}${path}`, { headers, redirect: 'manual' })).status;
    const { key } = owner;
    for (const headers of [basic(key, ''), basic(key, key), basic('', key)])
      expect(await status(`/odata/datasets/${dataset}`, headers)).toBe(200);
    expect(await status(`/odata/datasets/${dataset}`, basic(key, 'other'))).toBe(401);
    expect(await status(`/datasets/${dataset}`, basic(key, key))).toBe(401);
    expect((await call(owner, 'GET', `/datasets/${dataset}`)).status).toBe(200);
  });
});
