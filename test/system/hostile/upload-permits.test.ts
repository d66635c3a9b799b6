/** Uploads that wait for their own account do not use up the permits of others. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Client,
  createDataset,
  ended,
  json,
  type ProcessAnswer,
  putFile,
} from '../../support/datasets.js';
import { readMetrics } from '../../support/metrics-text.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let greedy: Client;
let other: Client;

beforeAll(async () => {
  product = await startProduct({ maxUploadsInFlight: '4', chunksAhead: '2' });
  const [first, second] = [await product.createAccount('greedy'), await product.createAccount('other')];
  greedy = { baseUrl: product.baseUrl, key: first.key };
  other = { baseUrl: product.baseUrl, key: second.key };
});

afterAll(() => product?.close());

/** Three full chunks, compressed to a few kilobytes. */
const file = gzipSync(`a,b\n${'0,0\n'.repeat(2_500_000)}`, { level: 1 });

const permits = async (state: string): Promise<number | undefined> =>
  (await readMetrics(product.baseUrl.replace(/\/api$/, ''))).value('tabulary_permits', {
    kind: 'uploads',
    state,
  });

it('an account uploads without waiting while another one has more uploads in flight than workers handle', async () => {
  await product.stopWorker();
  const datasets = await Promise.all([1, 2, 3].map(() => createDataset(greedy)));
  const sending = datasets.map((dataset) => putFile(greedy, dataset, file));
  // An account may have half of the permits, which bound the memory of uploads.
  await expect.poll(async () => [await permits('running'), await permits('waiting')]).toEqual([2, 1]);
  const sent = await json<ProcessAnswer>(await putFile(other, await createDataset(other), 'a,b\n1,2\n'), 201);
  await product.startWorker();
  expect(await ended(other, sent)).toMatchObject({ status: 'completed', rows: 1 });
  for (const each of sending) {
    const process = await json<ProcessAnswer>(await each, 201);
    expect(await ended(greedy, process)).toMatchObject({ status: 'completed', rows: 2_500_000 });
  }
});
