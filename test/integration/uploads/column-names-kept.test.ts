/** Column names of any characters after renames, restores and merges. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  call,
  createDataset,
  download,
  json,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ columnMergePollMs: '50', sweepIntervalMs: '200' });
  owner = await product.createAccount('owner');
});
afterAll(() => product?.close());

const change = async (dataset: number, name: string, body: object): Promise<Response> => {
  const column = (await readDataset(owner, dataset)).columns.find((item) => item.name === name);
  return call(owner, 'PATCH', `/datasets/${dataset}/columns/${column?.id}`, body);
};

const merge = (dataset: number, from: string, into: string): Promise<Response> =>
  change(dataset, from, { name: into, merge: true });

describe('a version that is restored after a rename', () => {
  it('has the current names and roles in any kind of read', async () => {
    const dataset = await createDataset(owner);
    const { versionId: first } = await upload(owner, dataset, 'a,b\nx,1\n');
    await upload(owner, dataset, 'a,b\nx,2\n');
    await json(await change(dataset, 'a', { name: 'c' }));
    await json(await change(dataset, 'b', { isEntity: true }));
    const { versionId } = await json<{ versionId: string }>(
      await call(owner, 'POST', `/datasets/${dataset}/versions/${first}/restore`),
      201,
    );
    for (const query of [
      '',
      `?versionId=${versionId}`,
      `?versionId=${versionId}&$format=csv&$top=9`,
      '?asOf=2999-01-01',
    ])
      expect([query, await download(owner, dataset, query)]).toEqual([query, '"c","b"\n"x",1\n']);
    expect(
      await json(await call(owner, 'GET', `/datasets/${dataset}/columns?asOf=2999-01-01`)),
    ).toMatchObject([
      { name: 'c', isEntity: true },
      { name: 'b', isEntity: true },
    ]);
    // The older version keeps its header.
    expect(await download(owner, dataset, `?versionId=${first}`)).toBe('"a","b"\n"x",1\n');
  });

  it('adds no list of columns if nothing was renamed', async () => {
    const dataset = await createDataset(owner);
    const { versionId } = await upload(owner, dataset, 'a,b\nx,1\n');
    await json(await call(owner, 'POST', `/datasets/${dataset}/versions/${versionId}/restore`), 201);
    const lists = await product.sql.query('SELECT 1 FROM column_lists WHERE dataset_id = $1', [dataset]);
    expect(lists).toHaveLength(1);
  });
});

describe('a column with any character in its name', () => {
  it.each(['tab\there', 'line\nbreak', 'quote " and \' too', 'back\\slash', ' spaces ', '\u200b', 'é|ü'])(
    '%j can be the target of a merge',
    async (name) => {
      const dataset = await createDataset(owner);
      await upload(owner, dataset, `Key,"${name.replaceAll('"', '""')}",Other\na,1,\nb,,2\n`);
      const merged = await merge(dataset, 'Other', name);
      expect(await json(merged)).toMatchObject({ name });
      const rows = await call(owner, 'GET', `/datasets/${dataset}/data?$format=json`);
      expect(await rows.json()).toEqual([
        { Key: 'a', [name]: 1 },
        { Key: 'b', [name]: 2 },
      ]);
    },
  );

  it('cannot be created by a rename, nor have a NUL', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'Key,Other\na,1\n');
    for (const body of [{ name: 'tab\there' }, { name: 'nul\0', merge: true }, { name: '', merge: true }])
      expect((await change(dataset, 'Other', body)).status).toBe(400);
    expect((await merge(dataset, 'Other', 'no\tcolumn')).status).toBe(404);
  });
});
