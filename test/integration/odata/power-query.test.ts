/**
 * Requests of Power Query, as sent by Excel and Power BI for an OData feed: first without credentials, then with both
 * fields of Basic, Atom before JSON in `Accept`, option names percent-encoded or not. Replayed without the programs.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createDataset, json, upload } from '../../support/datasets.js';
import { basic, odataService, type Page } from '../../support/odata-service.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;
let root: string;

beforeAll(async () => {
  product = await startProduct();
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('excel')).key };
  const id = await createDataset(owner);
  const rows = Array.from({ length: 26_000 }, (_, at) => `Country ${at % 3},2024-01-02,${at}\n`).join('');
  expect(await upload(owner, id, `Country,Day,Sales total\n${rows}`)).toMatchObject({ status: 'completed' });
  ({ root } = odataService(owner, id));
});

afterAll(() => product?.close());

const agent = {
  'user-agent': 'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)',
  'odata-maxversion': '4.0',
  maxdataserviceversion: '3.0',
  'accept-encoding': 'gzip, deflate',
};
const documentTypes =
  'application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7';

const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${root}${path}`, { headers: { ...agent, accept: documentTypes, ...headers } });

const signedIn = (): Record<string, string> => basic(owner.key, owner.key);

describe('Power Query', () => {
  it('is asked for credentials, then reads the service document and $metadata', async () => {
    for (const path of ['', '/']) {
      const anonymous = await ask(path);
      expect(anonymous.status).toBe(401);
      expect(anonymous.headers.get('www-authenticate')).toContain('Basic realm=');
      const document = await ask(path, signedIn());
      expect(document.headers.get('odata-version')).toBe('4.0');
      expect(await json<{ value: unknown[] }>(document)).toMatchObject({
        value: [{ name: 'Rows', url: 'Rows' }],
      });
    }
    const metadata = await ask('/$metadata', { ...signedIn(), accept: 'application/xml' });
    expect(metadata.headers.get('content-type')).toContain('application/xml');
    expect(await metadata.text()).toContain('<EntitySet Name="Rows" EntityType="Tabulary.Row"/>');
  });

  it('reads a preview of a thousand rows, then all pages by their next links', async () => {
    const preview = await json<Page>(await ask('/Rows?$top=1000', signedIn()));
    expect(preview.value).toHaveLength(1_000);
    expect(preview['@odata.nextLink']).toBeUndefined();
    const keys = new Set<unknown>();
    let next: string | undefined = `${root}/Rows`;
    while (next !== undefined) {
      const page: Page = await json<Page>(
        await fetch(next, { headers: { ...agent, accept: documentTypes, ...signedIn() } }),
      );
      for (const { _row } of page.value) keys.add(_row);
      next = page['@odata.nextLink'];
    }
    expect(keys.size).toBe(26_000);
  });

  it('folds steps of a query into one request', async () => {
    const steps = [
      [
        "$filter=Country eq 'Country 1' and Sales_x0020_total ge 25000&$select=Country,Sales_x0020_total",
        334,
      ],
      ['%24filter=Day%20ge%202024-01-01%20and%20Sales_x0020_total%20lt%2010&%24select=Day', 10],
      ['$orderby=Sales_x0020_total desc&$skip=25990&$top=1000', 10],
      ["$filter=contains(Country,'try 2')&$top=5&$count=true", 5],
      ['$apply=groupby((Country),aggregate(Sales_x0020_total with sum as Total))', 3],
    ] as const;
    for (const [query, count] of steps) {
      const page = await json<Page>(await ask(`/Rows?${query}`, signedIn()));
      expect([query, page.value.length]).toEqual([query, count]);
    }
    const counted = await ask("/Rows/$count?$filter=Country eq 'Country 0'", signedIn());
    expect(await counted.text()).toBe('8667');
  });
});
