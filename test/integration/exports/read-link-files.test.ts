/** A read link to a whole table as Parquet supports ranges, which count as one read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlans } from '../../../src/catalog/plans.js';
import { type Client, call, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { createOpenDataset, makeReadLink, readLinksOf } from '../../support/read-links.js';

let product: TestProduct;
let accounts = 0;
beforeAll(async () => {
  product = await startProduct();
  const plans = createPlans({ sql: product.sql });
  const counted = { maxExportsPerDay: 1_000, maxExportBytesPerDay: 1e12 };
  await plans.put({ ...(await plans.read('unlimited')), name: 'counted', ...counted });
});
afterAll(() => product?.close());

const content = `Country,Value\n${Array.from({ length: 500 }, (_, at) => `Land ${at},${at / 8}\n`).join('')}`;

const newLink = async (body: object = {}) => {
  accounts += 1;
  const client = await product.createAccount(`ranger${accounts}`, 'counted');
  const { dataset } = await createOpenDataset(client, content, 'Private');
  const link = await makeReadLink(client, dataset, { query: { $format: 'parquet' }, ...body });
  return { client, dataset, ...link };
};

const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());

const exportsOf = async (client: Client): Promise<number> => {
  const account = await json<{ plan: { quotas: { exportsPerDay: { used: number } } } }>(
    await call(client, 'GET', '/account'),
  );
  return account.plan.quotas.exportsPerDay.used;
};

describe('a read link to a table as Parquet', () => {
  it('serves the file of the table, whole and in ranges, also from its end', async () => {
    const { client, dataset, url } = await newLink();
    const part = (range: string, more = {}): Promise<Response> => fetch(url, { headers: { range, ...more } });
    const head = await fetch(url, { method: 'HEAD' });
    const size = Number(head.headers.get('content-length'));
    expect([head.status, head.headers.get('accept-ranges'), size > 0]).toEqual([200, 'bytes', true]);
    const whole = await fetch(url);
    expect([whole.status, whole.headers.get('content-range')]).toEqual([200, null]);
    const file = await bytesOf(whole);
    const table = await call(client, 'GET', `/datasets/${dataset}/data.parquet`);
    expect(file.equals(await bytesOf(table))).toBe(true);
    const tag = whole.headers.get('etag') ?? '';
    for (const [range, begin, end] of [
      ['bytes=0-3', 0, 4],
      ['bytes=-8', size - 8, size],
      [`bytes=-${size + 262_144}`, 0, size],
    ] as const) {
      const answer = await part(range, { 'if-range': tag });
      expect([answer.status, answer.headers.get('content-range')]).toEqual([
        206,
        `bytes ${begin}-${end - 1}/${size}`,
      ]);
      expect((await bytesOf(answer)).equals(file.subarray(begin, end))).toBe(true);
    }
    expect((await part(`bytes=${size}-`)).status).toBe(416);
    expect((await fetch(url, { headers: { 'if-none-match': tag } })).status).toBe(304);
    await upload(client, dataset, `${content}Further,1\n`);
    expect((await part('bytes=0-3', { 'if-range': tag })).status).toBe(200);
  });

  it('counts several ranges as one read, with all of their bytes', async () => {
    const { client, url } = await newLink();
    for (let at = 0; at < 5; at += 1)
      await bytesOf(await fetch(url, { headers: { range: `bytes=${at * 10}-${at * 10 + 9}` } }));
    await expect.poll(async () => (await readLinksOf(client))[0]).toMatchObject({ reads: 1, bytes: 50 });
    await expect.poll(() => exportsOf(client)).toBe(1);
    const whole = await bytesOf(await fetch(url));
    await expect
      .poll(async () => (await readLinksOf(client))[0])
      .toMatchObject({ reads: 2, bytes: 50 + whole.length });
  });

  it('stops at the quota of the link, and at once when it is revoked', async () => {
    const { client, id, url } = await newLink({ maxBytesPerDay: 15 });
    const part = async (range: string): Promise<number> => {
      const answer = await fetch(url, { headers: { range } });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await part('bytes=0-9')).toBe(206);
    await expect.poll(async () => (await readLinksOf(client))[0]?.bytes).toBe(10);
    expect(await part('bytes=10-19')).toBe(206);
    await expect.poll(() => part('bytes=20-29')).toBe(402);
    await json(await call(client, 'PATCH', `/account/read-links/${id}`, { maxBytesPerDay: null }));
    expect(await part('bytes=20-29')).toBe(206);
    await call(client, 'DELETE', `/account/read-links/${id}`);
    expect(await part('bytes=30-39')).toBe(403);
  });

  it('is streamed without ranges if its query has a filter', async () => {
    const { url } = await newLink({ query: { $format: 'parquet', $filter: 'Value gt 5' } });
    const answer = await fetch(url, { headers: { range: 'bytes=0-9' } });
    expect([answer.status, answer.headers.get('accept-ranges')]).toEqual([200, null]);
    expect((await bytesOf(answer)).subarray(0, 4).toString()).toBe('PAR1');
  });
});
