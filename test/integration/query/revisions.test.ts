import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ sweepIntervalMs: '300' });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

interface Revision {
  readonly Date: string;
  readonly Value: number | null;
  readonly versionId: string;
  readonly publishedAt: string;
  readonly change: string;
}

const ask = async (dataset: number, options: Record<string, string> = {}): Promise<Response> =>
  call(owner, 'GET', `/datasets/${dataset}/revisions?${new URLSearchParams(options)}`);

const read = async <T = Revision>(dataset: number, options: Record<string, string> = {}): Promise<T[]> =>
  json<T[]>(await ask(dataset, options));

const short = ({ Date: date, Value, versionId, change }: Revision) => [date, Value, versionId, change];

const validFromOf = async (dataset: number, version: string): Promise<string> =>
  (await json<{ validFrom: string }>(await call(owner, 'GET', `/datasets/${dataset}/versions/${version}`)))
    .validFrom;

describe('revisions', () => {
  it('of a series are its values in each version that changed them', async () => {
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, 'Date,Value\n2026-01-01,1.5\n2026-02-01,2\n');
    const same = await upload(owner, dataset, 'Date,Value\n2026-01-01,1.5\n2026-02-01,2\n');
    const second = await upload(owner, dataset, 'Date,Value\n2026-01-01,1.5\n2026-02-01,2.25\n2026-03-01,\n');
    const third = await uploadWith(owner, dataset, 'Date,Value\n2026-03-01,3\n', { mode: 'upsert' });
    const [a, b, c] = [first, second, third].map(({ versionId }) => versionId ?? '');
    const all = await read(dataset);
    expect(all.map(short)).toEqual([
      ['2026-01-01', 1.5, a, 'added'],
      ['2026-02-01', 2, a, 'added'],
      ['2026-02-01', 2.25, b, 'changed'],
      ['2026-03-01', null, b, 'added'],
      ['2026-03-01', 3, c, 'changed'],
    ]);
    expect(all.every(({ versionId }) => versionId !== same.versionId)).toBe(true);
    const { createdAt } = await json<{ createdAt: string }>(
      await call(owner, 'GET', `/datasets/${dataset}/versions/${a}`),
    );
    expect(all[0]?.publishedAt.slice(0, 19)).toBe(createdAt.slice(0, 19));
    expect((await read(dataset, { $filter: 'Date eq 2026-02-01' })).map(short)).toEqual([
      ['2026-02-01', 2, a, 'added'],
      ['2026-02-01', 2.25, b, 'changed'],
    ]);
    expect((await read(dataset, { vintage: 'first' })).map(short)).toEqual([
      ['2026-01-01', 1.5, a, 'added'],
      ['2026-02-01', 2, a, 'added'],
      ['2026-03-01', null, b, 'added'],
    ]);
    expect((await read(dataset, { vintage: 'latest' })).map(short)).toEqual([
      ['2026-01-01', 1.5, a, 'added'],
      ['2026-02-01', 2.25, b, 'changed'],
      ['2026-03-01', 3, c, 'changed'],
    ]);
    const asOf = `${(await validFromOf(dataset, b ?? '')).slice(0, 23)}Z`;
    expect((await read(dataset, { vintage: 'latest', asOf })).map(short)).toEqual([
      ['2026-01-01', 1.5, a, 'added'],
      ['2026-02-01', 2.25, b, 'changed'],
      ['2026-03-01', null, b, 'added'],
    ]);
    expect((await read(dataset, { asOf })).map(short)).toEqual(all.slice(0, 4).map(short));
    expect((await ask(dataset, { asOf: '2001-01-01' })).status).toBe(404);
    expect((await ask(dataset, { asOf: 'yesterday' })).status).toBe(400);
    expect(await read(dataset, { $top: '2' })).toHaveLength(2);
    expect(await (await ask(dataset, { $format: 'csv', $filter: 'Date eq 2026-01-01' })).text()).toBe(
      `"Date","Value","versionId","publishedAt","change"\r\n"2026-01-01",1.5,"${a}","${all[0]?.publishedAt}","added"\r\n`,
    );
  });

  it('show observations that were removed, restored or duplicated', async () => {
    const dataset = await createDataset(owner);
    const one = await upload(owner, dataset, 'Date,Value\n2026-01-01,1\n2026-02-01,2\n');
    const two = await upload(owner, dataset, 'Date,Value\n2026-01-01,1\n');
    const three = await json<{ versionId: string }>(
      await call(owner, 'POST', `/datasets/${dataset}/versions/${one.versionId}/restore`),
      201,
    );
    const four = await uploadWith(owner, dataset, 'Date,Value\n2026-01-01,1\n2026-01-01,7\n', {
      mode: 'append',
    });
    expect((await read(dataset)).map(short)).toEqual([
      ['2026-01-01', 1, one.versionId, 'added'],
      ['2026-01-01', 1, four.versionId, 'added'],
      ['2026-01-01', 7, four.versionId, 'added'],
      ['2026-02-01', 2, one.versionId, 'added'],
      ['2026-02-01', 2, two.versionId, 'removed'],
      ['2026-02-01', 2, three.versionId, 'added'],
    ]);
    expect((await read(dataset, { vintage: 'latest' })).map(short)).toEqual([
      ['2026-01-01', 1, four.versionId, 'added'],
      ['2026-01-01', 7, four.versionId, 'added'],
      ['2026-02-01', 2, three.versionId, 'added'],
    ]);
  });

  it('continue across renamed columns, new columns and other types', async () => {
    const dataset = await createDataset(owner);
    const one = await upload(owner, dataset, 'Date,Value\n2026-01-01,1\n');
    const columns = await json<{ id: number; name: string }[]>(
      await call(owner, 'GET', `/datasets/${dataset}/columns`),
    );
    const value = columns.find(({ name }) => name === 'Value')?.id;
    const two = await upload(owner, dataset, 'Date,Value,Weight\n2026-01-01,n/d,2\n');
    await json(
      await call(owner, 'PATCH', `/datasets/${dataset}/columns/${value}`, {
        name: 'Amount',
        isEntity: false,
      }),
    );
    expect(await read<object>(dataset, { $select: 'Amount' })).toMatchObject([
      { Amount: '1', versionId: one.versionId },
      { Amount: 'n/d', versionId: two.versionId },
    ]);
  });

  it('of a dataset without rows are empty, and of one without data 404', async () => {
    const dataset = await createDataset(owner);
    expect((await ask(dataset)).status).toBe(404);
    await upload(owner, dataset, 'Date,Value\n');
    expect(await read(dataset)).toEqual([]);
  });

  it.each([
    [{ $filter: 'Nothing eq 1' }, 'Nothing'],
    [{ $select: 'Nothing' }, 'Nothing'],
    [{ vintage: 'last' }, 'vintage'],
    [{ $format: 'xlsx' }, '$format'],
  ])('refuse unknown columns, vintages and formats, %#', async (options, named) => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'Date,Value\n2026-01-01,1\n');
    const response = await ask(dataset, options as Record<string, string>);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(named)]);
  });
});
