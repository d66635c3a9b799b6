import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, call, createDataset, download, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;
let dataset: number;
const ids: string[] = [];

/** Three versions, published on the first of January, February and March. */
beforeAll(async () => {
  product = await startProduct();
  owner = await product.createAccount('owner');
  dataset = await createDataset(owner);
  for (const text of ['a\n1\n', 'a,b\n1,x\n2,y\n', 'a\nword\n'])
    ids.push((await upload(owner, dataset, text)).versionId ?? '');
  const days = ['2026-01-01', '2026-02-01', '2026-03-01'].map((day) => `${day}T10:00:00Z`);
  for (const [at, id] of ids.entries())
    await product.sql.query('UPDATE versions SET created_at = $2, replaced_at = $3 WHERE id = $1', [
      id,
      days[at],
      days[at + 1] ?? null,
    ]);
  await product.sql.query('UPDATE datasets SET first_version_at = $2 WHERE id = $1', [dataset, days[0]]);
});
afterAll(() => product?.close());

const get = (path: string) => call(owner, 'GET', `/datasets/${dataset}${path}`);

describe('asOf', () => {
  it.each([
    ['2026-01-01', '"a"\n1\n'],
    ['2026-01-31', '"a"\n1\n'],
    ['2026-02-01T09:59:59Z', '"a"\n1\n'],
    ['2026-02-01T12:00:00%2B02:00', '"a","b"\n1,"x"\n2,"y"\n'],
    ['2026-02-01T09:59:59.999', '"a"\n1\n'],
    ['2026-02-01T10:00:00.000', '"a","b"\n1,"x"\n2,"y"\n'],
    ['2026-02-28', '"a","b"\n1,"x"\n2,"y"\n'],
    ['2026-03-01', '"a"\n"word"\n'],
    ['2099-12-31', '"a"\n"word"\n'],
  ])('%s reads the version that was current at that time', async (asOf, text) => {
    expect(await download(owner, dataset, `?asOf=${asOf}`)).toBe(text);
  });

  it('works with other options, and in a JSON body', async () => {
    expect(await download(owner, dataset, '?asOf=2026-02-02&$filter=a eq 2&$format=csv')).toBe(
      '"a","b"\n2,"y"\n',
    );
    const answer = await call(owner, 'POST', `/datasets/${dataset}/query`, {
      asOf: '2026-02-02',
      $count: true,
    });
    expect(await answer.text()).toBe('2');
  });

  it('shows the columns, the dataset and the version of that time', async () => {
    expect(await json(await get('/columns?asOf=2026-02-02'))).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    expect(await json(await get('?asOf=2026-01-02'))).toMatchObject({
      rowCount: 1,
      columns: [{ name: 'a', dataType: 'Decimal' }],
    });
    expect(await json(await get('/summary?asOf=2026-02-02'))).toMatchObject({
      versionId: ids[1],
      rows: 2,
      columns: [{ name: 'a' }, { name: 'b' }],
    });
    expect(await json(await get('/columns/a/values?asOf=2026-01-02'))).toEqual([{ value: '1', count: 1 }]);
    expect(await json(await get('/versions/2026-01-15/diff/2026-02-15'))).toEqual(
      await json(await get(`/versions/${ids[0]}/diff/${ids[1]}`)),
    );
    expect(await (await get(`/versions/2026-01-15T00:00:00Z/diff/${ids[1]}/rows`)).text()).toBe(
      await (await get(`/versions/${ids[0]}/diff/${ids[1]}/rows`)).text(),
    );
    expect(await json(await get('/versions?asOf=2026-02-02'))).toMatchObject([
      { versionId: ids[1], rows: 2 },
    ]);
  });

  it('accepts times as answers have them, on every route', async () => {
    const [newest] = await json<{ createdAt: string; versionId: string }[]>(await get('/versions?$top=1'));
    const { createdAt, versionId } = newest!;
    expect(createdAt).toMatch(/^[\d-]{10}T[\d:.]{12}$/);
    for (const path of ['?', '/data?$top=9&', '/columns?', '/versions?', '/summary?', '/revisions?'])
      expect([path, (await get(`${path}asOf=${createdAt}`)).status]).toEqual([path, 200]);
    expect(await json(await get(`/versions/${createdAt}/diff/${createdAt}`))).toMatchObject({
      from: versionId,
      to: versionId,
    });
    expect((await get(`/versions/${createdAt}/diff/${versionId}/rows`)).status).toBe(200);
    const listed = await json<object[]>(await call(owner, 'GET', `/datasets?updatedSince=${createdAt}`));
    expect(listed).not.toEqual([]);
  });

  it('before the first version is 404 and names the first version', async () => {
    for (const path of ['/data', '/columns', '', '/versions']) {
      const answer = await get(`${path}?asOf=2025-12-31`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({
        code: 'before_first_version',
        details: { first: { versionId: ids[0], createdAt: '2026-01-01T10:00:00.000' } },
      });
    }
  });

  it.each(['asOf=2026-02-30', 'asOf=2026-01-01T25:00', 'asOf=now', 'asOf=2026-01-01&versionId=1'])(
    '%s is 400',
    async (query) => {
      expect((await get(`/data?${query}`)).status).toBe(400);
    },
  );

  it('of a dataset without data is 404', async () => {
    const empty = await createDataset(owner);
    const answer = await call(owner, 'GET', `/datasets/${empty}/data?asOf=2026-01-01`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'no_data' });
  });

  it('is 404 when the version of that time was deleted, and names the next one', async () => {
    expect((await call(owner, 'DELETE', `/datasets/${dataset}/versions/${ids[1]}`)).status).toBe(204);
    const removed = await get('/data?asOf=2026-02-15');
    expect(removed.status).toBe(404);
    expect(await removed.json()).toMatchObject({
      code: 'version_removed',
      details: { next: { versionId: ids[2], createdAt: '2026-03-01T10:00:00.000' } },
    });
    expect(await download(owner, dataset, '?asOf=2026-01-15')).toBe('"a"\n1\n');
    await call(owner, 'DELETE', `/datasets/${dataset}/versions/${ids[0]}`);
    expect(await (await get('/data?asOf=2026-01-15')).json()).toMatchObject({ code: 'version_removed' });
    expect(await (await get('/data?asOf=2025-01-15')).json()).toMatchObject({ code: 'before_first_version' });
  });
});

describe('a version', () => {
  it('that is published or restored is current from that moment', async () => {
    // Tomorrow, since the day may change during the test.
    const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const own = await createDataset(owner);
    const first = await upload(owner, own, 'a\n1\n');
    await upload(owner, own, 'a\n2\n');
    const [shown] = await json<{ versionId: string; createdAt: string }[]>(
      await call(owner, 'GET', `/datasets/${own}/versions?asOf=${day}`),
    );
    expect(await download(owner, own, `?asOf=${day}`)).toBe('"a"\n2\n');
    expect(await download(owner, own, `?asOf=${shown?.createdAt}Z`)).toBe('"a"\n2\n');
    await call(owner, 'POST', `/datasets/${own}/versions/${first.versionId}/restore`);
    expect(await download(owner, own, `?asOf=${day}`)).toBe('"a"\n1\n');
    expect(await download(owner, own, `?asOf=${shown?.createdAt}Z`)).toBe('"a"\n2\n');
  });
});
