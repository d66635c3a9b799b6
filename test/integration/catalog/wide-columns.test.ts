/** Columns of wide datasets are streamed in pages: complete, in order, and never all in memory. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct();
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

interface Shown {
  readonly id: number;
  readonly name: string;
}

describe('a list of columns, streamed from 1,000 columns on,', () => {
  it.each([999, 1_000, 1_001, 2_500])('is complete and in order with %i columns', async (count) => {
    const dataset = await createDataset(owner);
    const names = Array.from({ length: count }, (_, index) => `column ${index}`);
    const { status } = await upload(
      owner,
      dataset,
      `${names.join(',')}\n${names.map(() => '1').join(',')}\n`,
    );
    expect(status).toBe('completed');
    const list = await call(owner, 'GET', `/datasets/${dataset}/columns`);
    const isStreamed = list.headers.get('content-length') === null;
    expect(isStreamed).toBe(count >= 1_000);
    const columns = await json<Shown[]>(list);
    expect(columns.map(({ name }) => name)).toEqual(names);
    const last = columns.at(-1) as Shown;
    const renamed = { ...last, name: 'the last' };
    const path = `/datasets/${dataset}/columns/${last.id}`;
    expect(await json(await call(owner, 'PATCH', path, { name: 'the last' }))).toMatchObject(renamed);
    const read = await json<{ id: number; columns: Shown[]; rowCount: number }>(
      await call(owner, 'GET', `/datasets/${dataset}`),
    );
    expect(read).toMatchObject({ id: dataset, rowCount: 1 });
    expect(read.columns.map(({ name }) => name)).toEqual([...names.slice(0, -1), 'the last']);
    const now = new Date(Date.now() + 60_000).toISOString();
    const then = await json<Shown[]>(await call(owner, 'GET', `/datasets/${dataset}/columns?asOf=${now}`));
    expect(then.map(({ name }) => name)).toEqual(names);
    const home = await json<{ id: number }>(await call(owner, 'GET', '/repositories/home'));
    const clone = await json<{ columns: Shown[] }>(
      await call(owner, 'POST', `/datasets/${dataset}/clone`, { repositoryId: home.id, name: `c${count}` }),
      201,
    );
    expect(clone.columns).toHaveLength(count);
    const update = await call(owner, 'PUT', `/datasets/${dataset}`, { name: `renamed ${count}` });
    expect((await json<{ columns: Shown[] }>(update)).columns).toHaveLength(count);
  });
});
