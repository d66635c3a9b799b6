/** OData services of repositories, and files that open a dataset. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { odataService, type Page } from '../../support/odata-service.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;
let guest: Client;
let repository: number;
const datasets = new Map<string, number>();
let service: ReturnType<typeof odataService>;

/** Names that need escaping, that collide with other names of the schema, and one too long for an identifier. */
const names = ['Sales 2024', "O'Neil & <Sons>", 'Rows', 'Container', '_dataset_1', 'x'.repeat(200)];

const createIn = async (name: string): Promise<number> =>
  (
    await json<{ id: number }>(
      await call(owner, 'POST', '/datasets', { name, repositoryId: repository }),
      201,
    )
  ).id;

beforeAll(async () => {
  product = await startProduct();
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('rooted')).key };
  guest = { baseUrl: product.baseUrl, key: (await product.createAccount('rootguest')).key };
  const body = { name: 'many', privacy: 'Private' };
  repository = (await json<{ id: number }>(await call(owner, 'POST', '/repositories', body), 201)).id;
  for (const [at, name] of names.entries()) {
    const id = await createIn(name);
    datasets.set(name, id);
    expect(await upload(owner, id, `Place name,n\nplace ${at},${at}\n`)).toMatchObject({
      status: 'completed',
    });
  }
  datasets.set('empty', await createIn('empty'));
  service = odataService(owner, repository, 'repositories');
});

afterAll(() => product?.close());

interface ServiceDocument {
  readonly value: readonly { name: string; title?: string; url: string }[];
}

const listed = async (target: ReturnType<typeof odataService>): Promise<ServiceDocument['value']> =>
  (await json<ServiceDocument>(await target.get('/'))).value;

describe('the service of a repository', () => {
  it('has an entity set for each dataset with data, whose title or name is that of the dataset', async () => {
    const sets = await listed(service);
    expect(sets.map(({ name, title }) => title ?? name).sort()).toEqual([...names].sort());
    expect(sets.map(({ name }) => name)).toContain('Sales_x0020_2024');
    expect(sets.map(({ name }) => name)).toContain(`_dataset_${datasets.get('x'.repeat(200))}`);
    for (const [at, name] of names.entries()) {
      const set = sets.find(({ title, name: other }) => (title ?? other) === name);
      const { value, ...rest } = await json<Page>(await service.get(`/${set?.url}`));
      expect(rest).toEqual({ '@odata.context': `${service.root}/$metadata#${set?.url}` });
      expect(value).toEqual([{ _row: expect.any(String), Place_x0020_name: `place ${at}`, n: at }]);
      const row = await json<object>(await service.get(`/${set?.url}('${value[0]?._row}')`));
      expect(row).toMatchObject({ n: at });
      expect(await (await service.get(`/${set?.url}/$count`)).text()).toBe('1');
    }
  });

  it('describes all entity sets, each type once', async () => {
    const text = await (await service.get('/$metadata')).text();
    for (const id of datasets.values()) {
      const types = text.split(`<EntityType Name="Row_${id}">`).length - 1;
      expect([id, types]).toEqual([id, id === datasets.get('empty') ? 0 : 1]);
    }
    expect(text).toContain('<Annotation Term="Tabulary.Name" String="O\'Neil &amp; &lt;Sons&gt;"/>');
    const document = await json<{ Tabulary: { Container: object } }>(
      await service.get('/$metadata?$format=json'),
    );
    expect(Object.keys(document.Tabulary.Container)).toHaveLength(1 + names.length);
  });

  it('has next links and ids of its own', async () => {
    const id = await createIn('paged');
    await upload(owner, id, 'n\n1\n2\n3\n');
    const first = await json<Page>(await service.get('/paged', { prefer: 'odata.maxpagesize=2' }));
    const next = first['@odata.nextLink'] ?? '';
    expect(next.startsWith(`${service.root}/paged?`)).toBe(true);
    const second = await json<Page>(await service.get(next.slice(service.root.length)));
    expect([...first.value, ...second.value].map(({ n }) => n)).toEqual([1, 2, 3]);
    const full = await service.get('/paged?$top=1', { accept: 'application/json;odata.metadata=full' });
    expect((await json<Page>(full)).value[0]).toMatchObject({
      '@odata.type': `#Tabulary.Row_${id}`,
      '@odata.id': expect.stringContaining(`${service.root}/paged('`),
    });
    await call(owner, 'DELETE', `/datasets/${id}`);
    expect((await service.get('/paged')).status).toBe(404);
  });

  it('has no other entity sets', async () => {
    const known = datasets.get('Sales 2024') ?? 0;
    for (const set of [
      'Nowhere',
      'Sales 2024',
      'empty',
      `_dataset_${known}`,
      'Sales_x20_2024',
      'a_x0000_b',
      'a_xD800_b',
      '..',
    ])
      expect([set, (await service.get(`/${encodeURIComponent(set)}`)).status]).toEqual([set, 404]);
    expect((await service.get('/$batch')).status).toBe(405);
  });

  it('shows a caller only the datasets that are shared with it', async () => {
    const theirs = odataService(guest, repository, 'repositories');
    expect((await theirs.get('/')).status).toBe(403);
    expect((await theirs.get('/Rows')).status).toBe(403);
    const id = datasets.get('Rows');
    const grant = `/datasets/${id}/permissions/rootguest`;
    expect((await call(owner, 'PUT', grant, { level: 'Read' })).ok).toBe(true);
    expect((await listed(theirs)).map(({ name }) => name)).toEqual(['Rows']);
    expect((await theirs.get('/Rows')).status).toBe(200);
    expect((await theirs.get('/Container')).status).toBe(403);
    expect((await theirs.get('/Nowhere')).status).toBe(403);
    expect((await theirs.get('/$metadata')).status).toBe(200);
    expect((await call(owner, 'DELETE', grant)).ok).toBe(true);
    expect((await theirs.get('/Rows')).status).toBe(403);
  });
});

describe('a file that opens a dataset', () => {
  it('has the address of the dataset, and no key', async () => {
    const id = await createDataset(owner, `for Excel & "co" ${Date.now()}`);
    const root = new URL(product.baseUrl).origin;
    const read = async (kind: string) => {
      const response = await call(owner, 'GET', `/datasets/${id}/open/${kind}`);
      const text = await response.text();
      expect(text).not.toContain(owner.key);
      return {
        type: response.headers.get('content-type'),
        name: response.headers.get('content-disposition'),
        text,
      };
    };
    const pbids = await read('pbids');
    expect(pbids.name).toContain('.pbids');
    expect(JSON.parse(pbids.text)).toEqual({
      version: '0.1',
      connections: [
        {
          details: { protocol: 'odata', address: { url: `${root}/api/odata/datasets/${id}` } },
          options: {},
          mode: 'Import',
        },
      ],
    });
    const odc = await read('odc');
    expect(odc.type).toContain('text/x-ms-odc');
    expect(odc.text).toContain('for Excel &amp; &quot;co&quot;');
    expect(odc.text).toContain(`OData.Feed(&amp;quot;${root}/api/odata/datasets/${id}&amp;quot;`);
    const iqy = await read('iqy');
    expect(iqy.text.split('\r\n').slice(0, 3)).toEqual([
      'WEB',
      '1',
      `${root}/api/datasets/${id}/data?$format=tsv`,
    ]);
    expect((await call(owner, 'GET', `/datasets/${id}/open/exe`)).status).toBe(400);
    expect((await call(guest, 'GET', `/datasets/${id}/open/odc`)).status).toBe(403);
  });
});
