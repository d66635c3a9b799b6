/** Deletion of columns: rows, older versions, and uploads in flight. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { putWith, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct();
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const columnOf = async (dataset: number, name: string): Promise<number> => {
  const found = (await readDataset(owner, dataset)).columns.find((column) => column.name === name);
  if (found === undefined) throw new Error(`there is no column ${name}`);
  return found.id;
};

const remove = async (dataset: number, name: string): Promise<void> => {
  const path = `/datasets/${dataset}/columns/${await columnOf(dataset, name)}`;
  expect((await call(owner, 'DELETE', path)).status).toBe(204);
};

const rowsOf = async (dataset: number, query = ''): Promise<string> =>
  (await download(owner, dataset, query)).replaceAll('"', '');

const send = async (dataset: number, file: string, mode: string): Promise<void> => {
  expect(await uploadWith(owner, dataset, file, { mode })).toMatchObject({
    status: 'completed',
    error: null,
  });
};

describe('a column that is deleted', () => {
  it('is missing from the new version and stays in earlier ones', async () => {
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, 'k,v,d\na,1,2020-01-01\nb,2,2020-02-01\n');
    await remove(dataset, 'd');
    expect(await rowsOf(dataset)).toBe('k,v\na,1\nb,2\n');
    expect(await readDataset(owner, dataset)).toMatchObject({ rowCount: 2, minDate: null, maxDate: null });
    expect(await rowsOf(dataset, `?versionId=${first.versionId}`)).toContain('a,1,2020-01-01');
    const [version] = await json<object[]>(await call(owner, 'GET', `/datasets/${dataset}/versions`));
    expect(version).toMatchObject({ mode: 'delete_column', rows: 2, columns: { removed: ['d'] } });
  });

  it('comes back empty with appends and upserts, and with its values in a restored version', async () => {
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, 'k,v,w\na,1,5\nb,2,6\n');
    await remove(dataset, 'w');
    await send(dataset, 'k,v,w\nc,3,7\n', 'append');
    expect(await rowsOf(dataset)).toBe('k,v,w\na,1,\nb,2,\nc,3,7\n');
    await remove(dataset, 'w');
    await send(dataset, 'k,v,w\na,8,9\n', 'upsert');
    expect(await rowsOf(dataset)).toBe('k,v,w\na,8,9\nb,2,\nc,3,\n');
    await json(await call(owner, 'POST', `/datasets/${dataset}/versions/${first.versionId}/restore`), 201);
    await send(dataset, 'k,v,w\nc,3,7\n', 'append');
    expect(await rowsOf(dataset)).toBe('k,v,w\na,1,5\nb,2,6\nc,3,7\n');
  });

  it('does not get its old values back from an upload that was accepted before', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,v,w\na,1,5\n');
    await product.stopWorker();
    const late = await json<ProcessAnswer>(
      await putWith(owner, dataset, 'k,v,w\nb,2,6\n', { mode: 'append' }),
      201,
    );
    await remove(dataset, 'w');
    await product.startWorker();
    expect(await ended(owner, late)).toMatchObject({ status: 'completed', error: null });
    expect(await rowsOf(dataset)).toBe('k,v,w\na,1,\nb,2,6\n');
    await send(dataset, 'k,v,w\nc,3,7\n', 'append');
    expect(await rowsOf(dataset)).toBe('k,v,w\na,1,\nb,2,6\nc,3,7\n');
  });

  it('must exist and must not be the only one', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,v\na,1\n');
    const id = await columnOf(dataset, 'v');
    await remove(dataset, 'v');
    const again = await call(owner, 'DELETE', `/datasets/${dataset}/columns/${id}`);
    expect(await json(again, 404)).toMatchObject({ code: 'column_not_found' });
    const last = await call(owner, 'DELETE', `/datasets/${dataset}/columns/${await columnOf(dataset, 'k')}`);
    expect(await json(last, 409)).toMatchObject({ code: 'only_column' });
  });

  it('leaves the range of dates to the next date column', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'd,e,v\n2020-01-01,2021-05-01,1\n2020-02-01,2021-06-01,2\n');
    await remove(dataset, 'd');
    expect(await readDataset(owner, dataset)).toMatchObject({ minDate: '2021-05-01', maxDate: '2021-06-01' });
  });
});
