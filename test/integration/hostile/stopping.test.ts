/** What waits for an outcome does not keep an API process from ending, and is not cut off by its end. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  authorization,
  type Client,
  createDataset,
  ended,
  json,
  type ProcessAnswer,
  putFile,
} from '../../support/datasets.js';
import { startFurther } from '../../support/further-process.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { putWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  // Longer than the test: whatever holds the process up until then fails it.
  product = await startProduct({ drainTimeoutMs: '600000' });
  owner = await product.createAccount('owner');
  await product.stopWorker();
});

afterAll(() => product?.close());

const reach = async () => {
  const api = await startFurther(product, 'api');
  return { api, client: { ...owner, baseUrl: api.baseUrl } };
};

it('events of a pending upload end in good order; the next process goes on with them', async () => {
  const dataset = await createDataset(owner);
  const upload = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n1\n'), 201);
  const { api, client } = await reach();
  const path = `/datasets/${dataset}/processes/${upload.id}/events`;
  const headers = authorization(owner.key);
  const events = await fetch(`${client.baseUrl}${path}`, { headers });
  const text = events.text();
  await api.stop();
  expect(await text).toMatch(/^event: progress\ndata: \{.*\}\n\n$/);

  const following = fetch(`${owner.baseUrl}${path}`, { headers });
  await product.startWorker();
  expect(await (await following).text()).toMatch(/event: completed\n/);
  await product.stopWorker();
});

it('a caller who waits for the outcome is told that it is pending', async () => {
  const dataset = await createDataset(owner);
  const { api, client } = await reach();
  const waiting = putWith(client, dataset, 'a\n1\n', { async: 'false', wait: '55' });
  const begun = async (): Promise<boolean> =>
    (await product.sql.query('SELECT id FROM processes WHERE dataset_id = $1', [dataset])).length > 0;
  while (!(await begun())) await new Promise((resolve) => setTimeout(resolve, 20));
  await api.stop();
  const answer = await waiting;
  // Its client is to connect to another process.
  expect(answer.headers.get('connection')).toBe('close');
  const process = await json<ProcessAnswer>(answer, 201);
  expect(process.status).toBe('pending');
  await product.startWorker();
  expect(await ended(owner, process)).toMatchObject({ status: 'completed', rows: 1 });
});
