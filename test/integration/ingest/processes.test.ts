import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct();
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('owner')).key };
});

afterAll(() => product?.close());

describe('processes of a dataset', () => {
  it('are listed newest first, a page at a time', async () => {
    const dataset = await createDataset(owner);
    const ids: number[] = [];
    for (const value of [1, 2, 3]) ids.unshift((await upload(owner, dataset, `a\n${value}\n`)).id);
    const list = async (query: string) =>
      (await json<ProcessAnswer[]>(await call(owner, 'GET', `/datasets/${dataset}/processes${query}`))).map(
        ({ id }) => id,
      );
    expect(await list('')).toEqual(ids);
    expect(await list('?$top=2')).toEqual(ids.slice(0, 2));
    expect(await list(`?before=${ids[1]}`)).toEqual(ids.slice(2));
  });

  it('send their progress as events and end with the outcome', async () => {
    const dataset = await createDataset(owner);
    const process = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n1\n'), 201);
    const answer = await call(owner, 'GET', `/datasets/${dataset}/processes/${process.id}/events`);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const last = (await answer.text()).trimEnd().split('\n\n').at(-1) ?? '';
    expect(last).toMatch(/^event: completed\ndata: /);
    expect(JSON.parse(last.replace(/^.*\ndata: /, ''))).toMatchObject({ id: process.id, rows: 1 });
  });

  it('can be cancelled while pending; the dataset stays as it was', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a\n1\n');
    await product.stopWorker();
    const process = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n2\n'), 201);
    const path = `/datasets/${dataset}/processes/${process.id}`;
    expect(await json(await call(owner, 'DELETE', path))).toMatchObject({
      status: 'failed',
      error: { code: 'cancelled' },
    });
    expect((await call(owner, 'DELETE', path)).status).toBe(409);
    const next = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n3\n'), 201);
    await product.startWorker();
    expect((await ended(owner, next)).status).toBe('completed');
    expect(await download(owner, dataset)).toBe('"a"\n3\n');
  });
});
