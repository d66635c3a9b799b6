/** Keys revoked and versions changed between pages, very many columns, and names with special characters. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { basic, odataService, type Page, queryOf } from '../../support/odata-service.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct();
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('hostile')).key };
});

afterAll(() => product?.close());

const filled = async (csv: string): Promise<ReturnType<typeof odataService>> => {
  const id = await createDataset(owner);
  expect(await upload(owner, id, csv)).toMatchObject({ status: 'completed' });
  return odataService(owner, id);
};

describe('between two pages', () => {
  const small = { prefer: 'odata.maxpagesize=1' };

  it('a revoked key is refused', async () => {
    const { root } = await filled('n\n1\n2\n');
    const made = await json<{ id: number; key: string }>(
      await call(owner, 'POST', '/account/keys', { name: 'short' }),
      201,
    );
    const headers = { ...basic(made.key), ...small };
    const first = await json<Page>(await fetch(`${root}/Rows`, { headers }));
    const next = first['@odata.nextLink'] ?? '';
    expect((await fetch(next, { headers })).status).toBe(200);
    expect((await call(owner, 'DELETE', `/account/keys/${made.id}`)).status).toBe(204);
    expect((await fetch(next, { headers })).status).toBe(401);
    expect((await fetch(next)).status).toBe(401);
  });

  it('rows and columns of a newer version do not show', async () => {
    const service = await filled('k,n\na,1\nb,2\nc,3\n');
    const id = Number(service.root.split('/').at(-1));
    const first = await json<Page>(await service.get('/Rows?$filter=n gt 0', small));
    await upload(owner, id, 'k,n,more\nz,9,1\n');
    const path = first['@odata.nextLink']?.slice(service.root.length) ?? '';
    const second = await json<Page>(await service.get(path, small));
    expect(second.value).toEqual([{ _row: expect.any(String), k: 'b', n: 2 }]);
    expect((await service.page()).value).toEqual([expect.objectContaining({ k: 'z', more: 1 })]);
  });

  it('a next link with a changed token or other options is refused', async () => {
    const service = await filled('n\n1\n2\n3\n');
    const first = await json<Page>(await service.get('/Rows', small));
    const path = first['@odata.nextLink']?.slice(service.root.length) ?? '';
    for (const changed of [`${path}x`, `${path}&$filter=n gt 1`, `${path}&$orderby=n`]) {
      const refused = await service.get(changed, small);
      expect([changed.slice(-12), refused.status]).toEqual([changed.slice(-12), 400]);
      expect(await refused.json()).toMatchObject({ error: { code: 'bad_skiptoken' } });
    }
  });
});

describe('a table of 5,000 columns', () => {
  it('is described, read and filtered', async () => {
    const names = Array.from({ length: 5_000 }, (_, at) => `${at} of "many", named`);
    const header = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',');
    const service = await filled(`${header}\n${names.map((_, at) => at).join(',')}\n`);
    const xml = await (await service.get('/$metadata')).text();
    expect(xml.match(/<Property /g)).toHaveLength(5_001);
    expect(xml).toContain('String="4999 of &quot;many&quot;, named"');
    const described = await json<{ Tabulary: { Row: object } }>(await service.get('/$metadata?$format=json'));
    expect(Object.keys(described.Tabulary.Row)).toHaveLength(5_000 + 3);
    const last = '_x0034_999_x0020_of_x0020__x0022_many_x0022__x002C__x0020_named';
    const { value } = await service.page({ $filter: `${last} eq 4999`, $select: last });
    expect(value).toEqual([{ [last]: 4999 }]);
    const [row] = (await service.page()).value;
    expect(Object.keys(row ?? {})).toHaveLength(5_001);
  });
});

describe('names with special characters', () => {
  it('can be filtered, sorted and selected by, next to dates before 1970', async () => {
    const columns = [
      "it's",
      'a "b"',
      ' [c] ',
      'd;e\\f',
      '__proto__',
      '@odata.id',
      '$top',
      '日本',
      "x'); DROP TABLE t; --",
    ];
    const quoted = columns.map((name) => `"${name.replaceAll('"', '""')}"`).join(',');
    const service = await filled(
      `${quoted},When\n${columns.map((_, at) => `v${at}`).join(',')},0001-01-01\n`,
    );
    const [row] = (await service.page()).value;
    const properties = Object.keys(row ?? {}).filter((name) => !['_row', 'When'].includes(name));
    expect(properties).toHaveLength(columns.length);
    for (const [at, property] of properties.entries()) {
      const { value } = await service.page({
        $filter: `${property} eq 'v${at}'`,
        $orderby: `${property} desc`,
        $select: property,
      });
      expect(value.map((found) => Object.values(found))).toEqual([[`v${at}`]]);
    }
    expect((await service.page({ $filter: 'When lt 1970-01-01' })).value).toHaveLength(1);
    const kept = await service.get(`/Rows('${String(row?._row)}')?${queryOf({ $select: 'When' })}`);
    expect(await json(kept)).toMatchObject({ When: '0001-01-01' });
  });
});
