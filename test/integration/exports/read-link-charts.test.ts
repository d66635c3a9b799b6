/** Read links to charts of public datasets, as an image and as a page for iframes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, call, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { createOpenDataset, type MadeLink, makeReadLink, readLinksOf } from '../../support/read-links.js';

let product: TestProduct;
let accounts = 0;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product?.close());

const newPerson = (): Promise<Client> => {
  accounts += 1;
  return product.createAccount(`drawer${accounts}`);
};

const rows = `Date,Country of origin,GDP
1931-07-14,France & Co,1.5
2024-01-01,<b>Spain</b>,2.50
2024-01-01,France & Co,123456789012345678901234567890
2024-02-01,France & Co,
`;

const newChart = async (chart: object = { kind: 'line' }, query: object = {}, content = rows) => {
  const client = await newPerson();
  const { repository, dataset } = await createOpenDataset(client, content);
  return { client, repository, dataset, link: await makeReadLink(client, dataset, { chart, query }) };
};

const codeOf = async (answer: Response): Promise<[number, string | undefined]> => [
  answer.status,
  ((await answer.json()) as { code?: string }).code,
];

describe('a chart', () => {
  it('is an SVG image and an HTML page, both with a policy that allows only their own style', async () => {
    const { link } = await newChart();
    expect(link).toMatchObject({ chart: { kind: 'line', title: 'Gross product', theme: 'auto' } });
    expect(link.url).toMatch(/\/api\/links\/tabr_[\w-]{43}\.svg$/);
    expect(link.pageUrl).toBe(link.url.replace('.svg', '.html'));
    const [picture, page] = await Promise.all([fetch(link.url), fetch(link.pageUrl ?? '')]);
    const [svg, html] = await Promise.all([picture.text(), page.text()]);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(svg).toContain('France &amp; Co');
    expect(svg).toContain('&lt;b&gt;Spain&lt;/b&gt;');
    expect(html).toContain(svg.trim());
    for (const answer of [picture, page]) {
      expect(answer.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; frame-ancestors /,
      );
      expect(answer.headers.get('cache-control')).toBe('private, no-cache');
      expect(answer.headers.get('content-disposition')).toBeNull();
    }
  });

  it('can be framed by any site as a page, even when refused, but not as an image or as data', async () => {
    const { client, dataset, link } = await newChart();
    const framing = async (url: string): Promise<[number, string | null, string | undefined]> => {
      const { status, headers } = await fetch(url);
      const policy = headers.get('content-security-policy') ?? '';
      return [status, headers.get('x-frame-options'), /frame-ancestors (.*)$/.exec(policy)?.[1]];
    };
    expect(await framing(link.pageUrl ?? '')).toEqual([200, null, '*']);
    expect(await framing(link.url)).toEqual([200, 'DENY', "'none'"]);
    expect(await framing(`${product.baseUrl}/links/tabr_none.html`)).toEqual([403, null, '*']);
    const { url } = await makeReadLink(client, dataset);
    expect(await framing(url)).toEqual([200, 'DENY', "'none'"]);
  });

  it('follows the data, has an ETag, and counts the bytes that it sends', async () => {
    const { client, dataset, link } = await newChart({ kind: 'line', title: 'Mine', theme: 'dark' });
    const before = await fetch(link.url);
    const svg = await before.text();
    expect(svg).toContain('>Mine</text>');
    await expect
      .poll(async () => (await readLinksOf(client))[0])
      .toMatchObject({
        reads: 1,
        bytes: Buffer.byteLength(svg),
      });
    const tag = before.headers.get('etag') ?? '';
    const same = await fetch(link.url, { headers: { 'if-none-match': tag } });
    expect([same.status, await same.text()]).toEqual([304, '']);
    const head = await fetch(link.url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), head.headers.get('etag')]).toEqual([
      200,
      'image/svg+xml',
      tag,
    ]);
    await upload(client, dataset, `${rows}2024-03-01,Italy,9\n`);
    const after = await fetch(link.url, { headers: { 'if-none-match': tag } });
    expect([after.status, (await after.text()).includes('Italy')]).toEqual([200, true]);
    expect((await readLinksOf(client))[0]).toMatchObject({ refusedBecause: null });
  });

  it('can show the result of a pipeline, and selected columns', async () => {
    const byYear = 'groupby((startofyear(Date) as Year),aggregate($count as Rows))';
    const { client, dataset, link } = await newChart({ kind: 'bar' }, { $apply: byYear });
    const svg = await (await fetch(link.url)).text();
    expect(svg).toContain('>1931-01-01</text>');
    const columns = await json<{ id: number; name: string }[]>(
      await call(client, 'GET', `/datasets/${dataset}/columns`),
    );
    const gdp = columns.find(({ name }) => name === 'GDP');
    const chosen = await makeReadLink(client, dataset, {
      chart: { kind: 'line' },
      query: { $select: [gdp?.id], $filter: `${gdp?.name} lt 100` },
    });
    await call(client, 'PATCH', `/datasets/${dataset}/columns/${gdp?.id}`, { name: 'Product' });
    // The filter names a column that no longer exists, so the error is that of a download.
    expect((await codeOf(await fetch(chosen.url)))[1]).toBe('unknown_column');
    const byId = await makeReadLink(client, dataset, {
      chart: { kind: 'line' },
      query: { $select: [gdp?.id] },
    });
    expect(await (await fetch(byId.url)).text()).toContain('<title id="title">Gross product</title>');
  });
});

describe('a chart is refused', () => {
  it.each<[string, object, number, string]>([
    ['of an unknown kind', { chart: { kind: 'pie' } }, 400, 'invalid_request'],
    ['without numbers', { chart: { kind: 'line' }, query: { $select: 'Date' } }, 400, 'bad_option'],
    ['in another format', { chart: { kind: 'line' }, query: { $format: 'json' } }, 400, 'bad_option'],
    ['of a count', { chart: { kind: 'line' }, query: { $count: true } }, 400, 'bad_option'],
    ['transposed', { chart: { kind: 'line' }, query: { transpose: true } }, 400, 'bad_option'],
    ['with a page size', { chart: { kind: 'line' }, query: { $pagesize: 5 } }, 400, 'bad_option'],
    ['with an invisible title', { chart: { kind: 'line', title: '\u202e' } }, 400, 'invalid_request'],
  ])('%s', async (_name, body, status, code) => {
    const client = await newPerson();
    const { dataset } = await createOpenDataset(client, 'Date,Text,GDP\n2024-01-01,a,1\n');
    const answer = await call(client, 'POST', `/datasets/${dataset}/read-links`, { name: 'c', ...body });
    expect(await codeOf(answer)).toEqual([status, code]);
  });

  it('of a private dataset, and of one that becomes private', async () => {
    const client = await newPerson();
    const secret = await createOpenDataset(client, rows, 'Private');
    const refused = await call(client, 'POST', `/datasets/${secret.dataset}/read-links`, {
      name: 'chart',
      chart: { kind: 'line' },
    });
    expect(await codeOf(refused)).toEqual([403, 'chart_not_public']);
    const { dataset, repository } = await createOpenDataset(client, rows);
    const link = await makeReadLink(client, dataset, { chart: { kind: 'line' } });
    const change = { name: `closed ${repository}`, privacy: 'Private' };
    await json(await call(client, 'PUT', `/repositories/${repository}`, change));
    for (const url of [link.url, link.pageUrl ?? ''])
      expect(await codeOf(await fetch(url))).toEqual([403, 'chart_not_public']);
    const [listed] = await readLinksOf(client);
    expect(listed?.refusedBecause).toContain('Charts are for public datasets');
  });

  it('with too many points or series, or with a repeated category', async () => {
    const many = Array.from({ length: 300_000 }, (_, at) => `${at},${at}\n`).join('');
    const { link } = await newChart({ kind: 'line' }, {}, `N,V\n${many}`);
    expect(await codeOf(await fetch(link.url))).toEqual([400, 'too_many_points']);
    const twice = await newChart({ kind: 'bar' }, {}, 'Name,V\na,1\na,2\n');
    expect(await codeOf(await fetch(twice.link.url))).toEqual([400, 'repeated_row']);
    const series = Array.from({ length: 30 }, (_, at) => `2024-01-01,c${at},1\n`).join('');
    const wide = await newChart({ kind: 'line' }, {}, `Date,C,V\n${series}`);
    expect(await codeOf(await fetch(wide.link.url))).toEqual([400, 'too_many_series']);
    const [listed]: MadeLink[] = await readLinksOf(wide.client);
    expect([listed?.reads, listed?.bytes]).toEqual([0, 0]);
  });
});
