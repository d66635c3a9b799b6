/** The whole table of a dataset as a file at a stable URL. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../../src/catalog/keys.js';
import { createPlans } from '../../../src/catalog/plans.js';
import { authorization, type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;

beforeAll(async () => {
  product = await startProduct({ exportsAheadBytes: String(2 ** 20) });
  const plans = createPlans({ sql: product.sql });
  const counted = { maxExportsPerDay: 1_000, maxExportBytesPerDay: 1e12 };
  await plans.put({ ...(await plans.read('unlimited')), name: 'counted', ...counted });
  await plans.put({ ...(await plans.read('unlimited')), name: 'one-export', maxExportsPerDay: 1 });
});

afterAll(() => product?.close());

const content = `Country,Value\n${Array.from({ length: 500 }, (_, at) => `Land ${at},${at / 8}\n`).join('')}`;

interface Table {
  readonly client: Client;
  readonly id: number;
  readonly address: (format: string, query?: string) => string;
  readonly get: (format: string, headers?: Record<string, string>, query?: string) => Promise<Response>;
}

let accounts = 0;
const newTable = async (plan?: string): Promise<Table> => {
  accounts += 1;
  const client = await product.createAccount(`person${accounts}`, plan);
  const id = await createDataset(client);
  await upload(client, id, content);
  const address = (format: string, query = ''): string =>
    `${product.baseUrl}/datasets/${id}/data.${format}${query}`;
  return {
    client,
    id,
    address,
    get: (format, headers = {}, query = '') =>
      fetch(address(format, query), {
        headers: { ...authorization(client.key), ...headers },
        redirect: 'manual',
      }),
  };
};

const bytesOf = async (answer: Response | Promise<Response>): Promise<Buffer> =>
  Buffer.from(await (await answer).arrayBuffer());

const used = async (client: Client): Promise<{ exports: number; bytes: number }> => {
  const { plan } = await json<{
    plan: { quotas: Record<'exportsPerDay' | 'exportBytesPerDay', { used: number }> };
  }>(await call(client, 'GET', '/account'));
  return { exports: plan.quotas.exportsPerDay.used, bytes: plan.quotas.exportBytesPerDay.used };
};

describe.each(['parquet', 'csv'])('data.%s', (format) => {
  it('accepts the key as Basic, Bearer and apiKey, and answers without a redirect', async () => {
    const { client, address } = await newTable();
    const answers = await Promise.all([
      fetch(address(format), { headers: authorization(client.key), redirect: 'error' }),
      fetch(address(format), { headers: { authorization: `Bearer ${client.key}` }, redirect: 'error' }),
      fetch(address(format, `?apiKey=${client.key}`), { redirect: 'error' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [one, ...others] = await Promise.all(answers.map(bytesOf));
    expect(others.every((other) => one?.equals(other))).toBe(true);
    expect((await fetch(address(format))).status).toBe(401);
  });

  it('is the file that a link serves', async () => {
    const { client, id, get } = await newTable();
    const answer = await call(client, 'GET', `/datasets/${id}/data?$format=${format}`);
    const linked = await bytesOf(fetch(answer.headers.get('location') ?? ''));
    expect((await bytesOf(get(format))).equals(linked)).toBe(true);
  });

  it('answers ranges, also beyond the end of the file, with one strong ETag', async () => {
    const { get } = await newTable();
    await bytesOf(get(format, { range: 'bytes=0-0' }));
    const whole = await get(format);
    const file = await bytesOf(whole);
    const tag = whole.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"/);
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    expect(whole.headers.get('content-length')).toBe(String(file.length));
    expect(whole.headers.get('content-range')).toBeNull();
    const cases: [string, number, number][] = [
      ['bytes=0-9', 0, 10],
      ['bytes=-8', file.length - 8, file.length],
      [`bytes=-${file.length + 262_144}`, 0, file.length],
      [`bytes=${file.length - 3}-${file.length + 50}`, file.length - 3, file.length],
      ['bytes=100-', 100, file.length],
    ];
    for (const [range, begin, end] of cases) {
      const part = await get(format, { range });
      expect([range, part.status, part.headers.get('content-range'), part.headers.get('etag')]).toEqual([
        range,
        206,
        `bytes ${begin}-${end - 1}/${file.length}`,
        tag,
      ]);
      expect((await bytesOf(part)).equals(file.subarray(begin, end))).toBe(true);
    }
    const several = await get(format, { range: 'bytes=0-1,5-6' });
    expect([several.status, several.headers.get('content-type')?.split(';')[0]]).toEqual([
      206,
      'multipart/byteranges',
    ]);
    const beyond = await get(format, { range: `bytes=${file.length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${file.length}`]);
  });

  it('answers HEAD like GET of the whole file, and evaluates conditions', async () => {
    const { address, client, get } = await newTable();
    const file = await bytesOf(get(format, { range: 'bytes=0-' }));
    const headers = authorization(client.key);
    const head = await fetch(address(format), { method: 'HEAD', headers });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(file.length)]);
    const part = await fetch(address(format), {
      method: 'HEAD',
      headers: { ...headers, range: 'bytes=0-9' },
    });
    expect([part.status, part.headers.get('content-length')]).toEqual([200, String(file.length)]);
    expect(part.headers.get('content-range')).toBeNull();
    const tag = head.headers.get('etag') ?? '';
    expect((await get(format, { 'if-none-match': tag })).status).toBe(304);
    expect((await get(format, { range: 'bytes=0-9', 'if-range': tag })).status).toBe(206);
    expect((await get(format, { range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200);
    expect((await get(format, { range: 'bytes=0-9', 'if-range': `W/${tag}` })).status).toBe(200);
    expect((await get(format, { range: 'bytes=0-9', 'if-match': `"other", ${tag}` })).status).toBe(206);
    expect((await get(format, { 'if-match': '*' })).status).toBe(200);
    const refused = await get(format, { range: 'bytes=0-9', 'if-match': '"other"' });
    expect([refused.status, await refused.json()]).toMatchObject([412, { code: 'other_file' }]);
    const refusedHead = await fetch(address(format), {
      method: 'HEAD',
      headers: { ...headers, 'if-match': '"other"' },
    });
    expect(refusedHead.status).toBe(412);
  });

  it('compares ETags, not times, since renaming a column creates no version', async () => {
    const { client, id, get } = await newTable();
    const [version] = await json<{ versionId: string }[]>(
      await call(client, 'GET', `/datasets/${id}/versions`),
    );
    const fixed = await get(format, {}, `?versionId=${version?.versionId}`);
    const time = fixed.headers.get('last-modified') ?? '';
    expect(Date.parse(time)).toBeGreaterThan(0);
    const before = await bytesOf(get(format, { range: 'bytes=0-' }));
    const [column] = await json<{ id: number }[]>(await call(client, 'GET', `/datasets/${id}/columns`));
    await json(await call(client, 'PATCH', `/datasets/${id}/columns/${column?.id}`, { name: 'Renamed' }));

    const ranged = await get(format, { range: 'bytes=5-', 'if-range': time });
    expect([ranged.status, ranged.headers.get('last-modified')]).toEqual([200, null]);
    expect((await bytesOf(ranged)).equals(before)).toBe(false);
    expect((await get(format, { 'if-modified-since': time })).status).toBe(200);
    const unchanged = await get(format, { 'if-modified-since': time }, `?versionId=${version?.versionId}`);
    expect(unchanged.status).toBe(304);
  });

  it('has another ETag once the data changes, so that ranges of two versions are not mixed', async () => {
    const { client, id, get } = await newTable();
    const tag = (await get(format, { range: 'bytes=0-9' })).headers.get('etag') ?? '';
    await upload(client, id, `${content}Further,1\n`);
    const after = await get(format, { range: 'bytes=0-9', 'if-range': tag });
    expect([after.status, after.headers.get('etag') === tag]).toEqual([200, false]);
  });

  it('reads a version by its id and by time', async () => {
    const { client, id, get } = await newTable();
    const first = await bytesOf(get(format));
    const [version] = await json<{ versionId: string; createdAt: string }[]>(
      await call(client, 'GET', `/datasets/${id}/versions`),
    );
    await upload(client, id, 'Country,Value\nElsewhere,1\n');
    expect((await bytesOf(get(format))).equals(first)).toBe(false);
    const query = `?versionId=${version?.versionId}`;
    expect((await bytesOf(get(format, {}, query))).equals(first)).toBe(true);
    const then = await bytesOf(get(format, {}, `?asOf=${version?.createdAt}`));
    expect(then.equals(first)).toBe(true);
  });

  it('has the column names of a requested version, and otherwise the current names', async () => {
    const { client, id, get } = await newTable();
    const [version] = await json<{ versionId: string; createdAt: string }[]>(
      await call(client, 'GET', `/datasets/${id}/versions`),
    );
    const columns = await json<{ id: number; name: string }[]>(
      await call(client, 'GET', `/datasets/${id}/columns`),
    );
    const column = columns.find(({ name }) => name === 'Country');
    const renamed = await call(client, 'PATCH', `/datasets/${id}/columns/${column?.id}`, { name: 'Renamed' });
    expect(renamed.status).toBe(200);
    const has = async (query: string): Promise<boolean> =>
      (await bytesOf(get(format, { range: 'bytes=0-' }, query))).includes('Renamed');
    expect(await has('')).toBe(true);
    expect(await has(`?versionId=${version?.versionId}`)).toBe(false);
    expect(await has(`?asOf=${version?.createdAt}`)).toBe(false);
    const answer = await call(
      client,
      'GET',
      `/datasets/${id}/data?$format=${format}&asOf=${version?.createdAt}`,
    );
    expect((await fetch(answer.headers.get('location') ?? '')).status).toBe(200);
  });

  it('refuses unknown parameters, versions, datasets and formats', async () => {
    const { client, address, get } = await newTable();
    const refused = async (query: string) => {
      const answer = await get(format, {}, query);
      return [answer.status, ((await answer.json()) as { code?: string }).code];
    };
    expect(await refused('?$top=5')).toEqual([400, 'unknown_parameter']);
    expect((await refused('?versionId=x'))[0]).toBe(400);
    expect((await refused('?versionId=1&asOf=2024-01-01'))[0]).toBe(400);
    expect(await refused('?versionId=999999')).toEqual([404, 'unknown_version']);
    expect((await refused('?asOf=1990-01-01'))[0]).toBe(404);
    const empty = await createDataset(client);
    const noData = await call(client, 'GET', `/datasets/${empty}/data.${format}`);
    expect(await json(noData, 404)).toMatchObject({ code: 'no_data' });
    expect((await call(client, 'GET', `/datasets/987654321/data.${format}`)).status).toBe(404);
    expect((await fetch(address('xlsx'), { headers: authorization(client.key) })).status).toBe(404);
    expect(
      (await fetch(address(format), { method: 'POST', headers: authorization(client.key) })).status,
    ).toBe(405);
  });

  it('is refused on the next range once the key is revoked', async () => {
    const { client, id, address } = await newTable();
    const account = await json<{ id: number }>(await call(client, 'GET', '/account'));
    const keys = createKeys({ sql: product.sql });
    const { id: keyId, key } = await keys.create(account.id, { name: 'reader' });
    const range = (): Promise<Response> =>
      fetch(address(format), { headers: { authorization: `Bearer ${key}`, range: 'bytes=0-9' } });
    expect([(await range()).status, id > 0]).toEqual([206, true]);
    await keys.revoke(account.id, keyId);
    const refused = await range();
    expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'key_revoked' }]);
  });

  it('counts any number of ranges as one export, with the bytes sent', async () => {
    const { client, get } = await newTable('counted');
    for (let at = 0; at < 5; at += 1)
      await bytesOf(get(format, { range: `bytes=${at * 10}-${at * 10 + 9}` }));
    await expect.poll(() => used(client)).toEqual({ exports: 1, bytes: 50 });
    const tag = (await get(format, { range: 'bytes=0-0' })).headers.get('etag') ?? '';
    await get(format, { 'if-none-match': tag });
    await expect.poll(() => used(client)).toEqual({ exports: 1, bytes: 51 });
    const whole = await bytesOf(get(format));
    await expect.poll(() => used(client)).toEqual({ exports: 2, bytes: 51 + whole.length });
  });

  it('can still be read in ranges if it used the last export, but not as a whole', async () => {
    const { get } = await newTable('one-export');
    expect((await get(format, { range: 'bytes=0-9' })).status).toBe(206);
    expect((await get(format, { range: 'bytes=10-19' })).status).toBe(206);
    const whole = await get(format);
    expect(whole.status).toBe(402);
    expect(await whole.json()).toMatchObject({ details: { quota: 'exportsPerDay', limit: 1, used: 1 } });
  });
});

it('files of the current version are prepared in advance, in each format', async () => {
  const { id } = await newTable();
  const files = async (): Promise<string[]> =>
    (
      await product.sql.query<{ key: string }>(
        `SELECT key FROM export_files
          WHERE key LIKE (SELECT 'v' || current_version_id || '/%' FROM datasets WHERE id = $1)`,
        [id],
      )
    )
      .map(({ key }) => key.replace(/^.*\./, ''))
      .sort();
  await expect.poll(files).toEqual(['csv', 'parquet']);
});
