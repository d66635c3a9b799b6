/** Exports are charged by the bytes sent, on every route. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlans } from '../../../src/catalog/plans.js';
import { authorization, type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
const fileBytes = 4_000_000;
const table = `k,v\n${Array.from({ length: 50_000 }, (_, row) => `${row},${'x'.repeat(66)}${String(row).padStart(6, '0')}`).join('\n')}\n`;

const plan = async (name: string, changes: object): Promise<void> => {
  const plans = createPlans({ sql: product.sql });
  await plans.put({ ...(await plans.read('unlimited')), name, ...changes });
};

beforeAll(async () => {
  product = await startProduct();
  await plan('one-megabyte', { maxExportBytesPerDay: 1_000_000 });
  await plan('two-exports', { maxExportsPerDay: 2 });
  await plan('counted', { maxExportsPerDay: 1_000, maxExportBytesPerDay: 1e12 });
});

afterAll(() => product?.close());

let accounts = 0;
const withTable = async (planName: string, content = table): Promise<{ client: Client; dataset: number }> => {
  const client = await product.createAccount(`p${++accounts}`, planName);
  const dataset = await createDataset(client);
  await upload(client, dataset, content);
  return { client, dataset };
};

const used = async (client: Client): Promise<{ exports: number; bytes: number }> => {
  const { plan: shown } = await json<{
    plan: { quotas: Record<'exportsPerDay' | 'exportBytesPerDay', { used: number }> };
  }>(await call(client, 'GET', '/account'));
  return { exports: shown.quotas.exportsPerDay.used, bytes: shown.quotas.exportBytesPerDay.used };
};

const linkOf = async (client: Client, dataset: number, query = ''): Promise<string> => {
  const answer = await call(client, 'GET', `/datasets/${dataset}/data${query}`);
  expect([answer.status, await answer.text()]).toEqual([302, '']);
  return answer.headers.get('location') ?? '';
};

const bytesOf = async (answer: Response): Promise<number> => (await answer.arrayBuffer()).byteLength;

/** Reads until the answer ends or breaks. */
const readAll = async (url: string, headers: Record<string, string> = {}) => {
  try {
    const [answer] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
    let bytes = 0;
    try {
      for await (const piece of answer) bytes += (piece as Buffer).length;
    } catch {
      return { status: answer.statusCode, bytes, complete: false };
    }
    return { status: answer.statusCode, bytes, complete: answer.complete };
  } catch {
    return { status: 0, bytes: 0, complete: false };
  }
};

describe('a whole file', () => {
  it('is counted with its bytes when its link is read; HEAD, 304 and 416 are free', async () => {
    const { client, dataset } = await withTable('counted');
    const links = await Promise.all(Array.from({ length: 5 }, () => linkOf(client, dataset)));
    expect(await used(client)).toEqual({ exports: 0, bytes: 0 });
    const answer = await fetch(links[0]!);
    const tag = answer.headers.get('etag') ?? '';
    const bytes = await bytesOf(answer);
    expect(bytes).toBeGreaterThan(fileBytes);
    await expect.poll(() => used(client)).toEqual({ exports: 1, bytes });
    expect((await fetch(links[1]!, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(links[1]!, { headers: { 'if-none-match': tag } })).status).toBe(304);
    expect((await fetch(links[1]!, { headers: { range: `bytes=${bytes}-` } })).status).toBe(416);
    expect(await used(client)).toEqual({ exports: 1, bytes });
    await bytesOf(await fetch(links[1]!));
    await expect.poll(() => used(client)).toEqual({ exports: 2, bytes: 2 * bytes });
  });

  it('that is read in concurrent ranges through several links counts as one export of these bytes', async () => {
    const { client, dataset } = await withTable('counted');
    const links = await Promise.all(
      Array.from({ length: 10 }, () => linkOf(client, dataset, '?$format=parquet')),
    );
    const answers = await Promise.all(
      links.flatMap((link) =>
        [0, 1, 2].map((at) => fetch(link, { headers: { range: `bytes=${at * 100}-${at * 100 + 99}` } })),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([206]));
    await Promise.all(answers.map(bytesOf));
    await expect.poll(() => used(client)).toEqual({ exports: 1, bytes: 30 * 100 });
  });

  it('a wrong request is 400 even if the exports are used up', async () => {
    const { client, dataset } = await withTable('two-exports', 'k,v\n1,a\n');
    const ask = (query: string): Promise<Response> =>
      call(client, 'GET', `/datasets/${dataset}/data?$filter=${query}`);
    for (const status of [200, 200, 402]) expect((await ask('k eq 1')).status).toBe(status);
    expect(await json(await ask('unknown eq 1'), 400)).toMatchObject({
      error: expect.stringContaining('unknown'),
    });
  });

  it('can still be read in ranges if it used the last export; whole reads and other files are refused', async () => {
    const { client, dataset } = await withTable('two-exports', 'k,v\n1,a\n2,b\n');
    const other = await createDataset(client);
    await upload(client, other, 'k,v\n3,c\n');
    const link = await linkOf(client, dataset);
    const otherLink = await linkOf(client, other);
    const range = { headers: { range: 'bytes=0-2' } };
    await bytesOf(await fetch(link));
    await bytesOf(await fetch(link));
    expect(await used(client)).toMatchObject({ exports: 2 });
    expect((await fetch(link, range)).status).toBe(206);
    expect((await call(client, 'GET', `/datasets/${dataset}/data`)).status).toBe(302);
    for (const refused of [await fetch(link), await fetch(otherLink, range), await fetch(otherLink)]) {
      expect(refused.status).toBe(402);
      expect(await refused.json()).toMatchObject({ details: { quota: 'exportsPerDay', limit: 2, used: 2 } });
    }
    expect((await call(client, 'GET', `/datasets/${other}/data`)).status).toBe(402);
    expect(await used(client)).toMatchObject({ exports: 2 });
  });

  it('that is aborted counts the bytes that have been sent', async () => {
    const { client, dataset } = await withTable('counted', table.repeat(1) + table.slice(4).repeat(9));
    const link = await linkOf(client, dataset);
    const whole = await bytesOf(await fetch(link));
    await expect.poll(() => used(client)).toEqual({ exports: 1, bytes: whole });
    const [answer] = (await once(get(link), 'response')) as [IncomingMessage];
    await once(answer, 'readable');
    answer.destroy();
    await expect.poll(async () => (await used(client)).bytes).toBeGreaterThan(whole);
    const { exports, bytes } = await used(client);
    expect(exports).toBe(2);
    // Only the buffers of the connection can be ahead of the reader.
    expect(bytes - whole).toBeLessThan(whole / 2);
  });
});

describe('the daily quota of bytes', () => {
  it('lets at most one of concurrent downloads of files and rows exceed it', async () => {
    const { client, dataset } = await withTable('one-megabyte');
    const link = await linkOf(client, dataset);
    await fetch(link, { method: 'HEAD' });
    const rows = `${product.baseUrl}/datasets/${dataset}/data?$filter=k%20ge%200`;
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        at % 2 === 0 ? readAll(link) : readAll(rows, authorization(client.key)),
      ),
    );
    expect(answers.filter(({ complete, status }) => complete && status === 200).length).toBeLessThanOrEqual(
      1,
    );
    expect(answers.filter(({ status }) => status !== 200 && status !== 402)).toEqual([]);
    const refused = await call(client, 'GET', `/datasets/${dataset}/data?$top=1`);
    expect(await json(refused, 402)).toMatchObject({ details: { quota: 'exportBytesPerDay' } });
    // One complete file, plus the granularity in which the others are counted.
    expect((await used(client)).bytes).toBeLessThan(1_000_000 + fileBytes + 16 * 400_000);
  });

  it('lets a single download that exceeds it complete', async () => {
    const { client, dataset } = await withTable('one-megabyte');
    const link = await linkOf(client, dataset);
    const answer = await readAll(link);
    expect(answer).toMatchObject({ status: 200, complete: true });
    await expect.poll(async () => (await used(client)).bytes).toBe(answer.bytes);
    expect((await fetch(link, { headers: { range: 'bytes=0-9' } })).status).toBe(402);
  });
});

describe('the web app', () => {
  it('shows data without counting an export, and counts one for a download', async () => {
    const { client, dataset } = await withTable('counted');
    const answer = await fetch(`${client.baseUrl}/session`, {
      method: 'POST',
      headers: authorization(client.key),
    });
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    const ask = (path: string) =>
      fetch(`${client.baseUrl}/datasets/${dataset}${path}`, { headers: { cookie }, redirect: 'manual' });
    const views = [
      '/data?$format=tsv&$top=200&$skip=400',
      '/data?$apply=aggregate($count%20as%20n)&$top=50000',
      '/revisions?$format=csv&$top=301',
      '/summary',
    ];
    for (const path of views) expect((await bytesOf(await ask(path))) > 0).toBe(true);
    expect(await used(client)).toEqual({ exports: 0, bytes: 0 });
    for (const path of ['/data?$filter=k%20ge%200', '/data?$top=50001']) await bytesOf(await ask(path));
    const link = (await ask('/data')).headers.get('location') ?? '';
    await bytesOf(await fetch(link));
    await expect.poll(async () => (await used(client)).exports).toBe(3);
  });
});
