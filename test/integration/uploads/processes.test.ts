import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  authorization,
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
  owner = await product.createAccount('owner');
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

describe('processes of a public dataset', () => {
  it('are shown, like their rejected rows, only to callers with write access', async () => {
    const stranger = { ...owner, key: (await product.createAccount('stranger')).key };
    const repository = await json<{ id: number }>(
      await call(owner, 'POST', '/repositories', { name: 'open', privacy: 'Public' }),
      201,
    );
    const { id: dataset } = await json<{ id: number }>(
      await call(owner, 'POST', '/datasets', { name: 'open', repositoryId: repository.id }),
      201,
    );
    await upload(owner, dataset, 'a\n1\n');
    const canary = 'canary-7391';
    const form = new FormData();
    form.set('mode', 'append');
    form.set('onBadRow', 'quarantine');
    form.set('data', new Blob([`a\n2\n${canary}\n`]), 'data.csv');
    const answer = await fetch(`${owner.baseUrl}/datasets/${dataset}/data`, {
      method: 'PUT',
      headers: authorization(owner.key),
      body: form,
    });
    const process = await ended(owner, await json<ProcessAnswer>(answer, 201));
    expect(process).toMatchObject({ status: 'completed', rejectedRows: 1 });

    const base = `/datasets/${dataset}/processes`;
    const paths = [
      base,
      `${base}/${process.id}`,
      `${base}/${process.id}/events`,
      `${base}/${process.id}/rejects`,
    ];
    for (const path of paths) {
      const anonymous = await fetch(`${owner.baseUrl}${path}`);
      const other = await call(stranger, 'GET', path);
      expect([path, anonymous.status, other.status]).toEqual([path, 401, 403]);
      expect((await anonymous.text()) + (await other.text())).not.toContain(canary);
    }
    expect(await (await call(owner, 'GET', `${base}/${process.id}/rejects`)).text()).toContain(canary);
    expect((await fetch(`${owner.baseUrl}/datasets/${dataset}/versions`)).status).toBe(200);
    expect(await download(stranger, dataset)).toBe('"a"\n1\n2\n');
  });
});
