/** Uploads that were accepted while others before them were pending: what they are applied to comes only later. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { putWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ firstChunkBytes: '256', chunkBytes: '1024' });
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('owner')).key };
});

afterAll(() => product?.close());

/** All are accepted before the first of them is stored; gives how they ended, in order. */
const sendTogether = async (
  dataset: number,
  uploads: readonly (readonly [file: string, options: Record<string, string>])[],
): Promise<string[]> => {
  await product.stopWorker();
  const accepted: ProcessAnswer[] = [];
  for (const [file, options] of uploads)
    accepted.push(await json<ProcessAnswer>(await putWith(owner, dataset, file, options), 201));
  await product.startWorker();
  const results = await Promise.all(accepted.map((process) => ended(owner, process)));
  return results.map(({ status, error }) => error?.code ?? status);
};

describe('an upsert that waits for another upload', () => {
  it('takes the roles of columns from the version that it is applied to', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,v\na,text\n');
    const outcomes = await sendTogether(dataset, [
      ['k,v\na,1\nb,2\n', {}],
      ['k,v\na,10\n', { mode: 'upsert' }],
      ['k,v\na,100\nc,3\n', { mode: 'upsert' }],
    ]);
    expect(outcomes).toEqual(['completed', 'completed', 'completed']);
    const { columns } = await readDataset(owner, dataset);
    expect(columns.map(({ name, dataType, isEntity }) => [name, dataType, isEntity])).toEqual([
      ['k', 'String', true],
      ['v', 'Decimal', false],
    ]);
    expect(await download(owner, dataset)).toBe('"k","v"\n"a",100\n"b",2\n"c",3\n');
  });

  it('keeps a column a value when appending widens it to text', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,v\na,1\n');
    const outcomes = await sendTogether(dataset, [
      ['k,v\nb,many\n', { mode: 'append', onTypeConflict: 'widen' }],
      ['k,v\na,2\n', { mode: 'upsert' }],
    ]);
    expect(outcomes).toEqual(['completed', 'completed']);
    expect(await download(owner, dataset)).toBe('"k","v"\n"a","2"\n"b","many"\n');
  });
});
