/** Requests that wait for an outcome neither delay the shutdown of an API process nor are aborted by it. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Config } from '../../../src/config.js';
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
  // Longer than the timeout of the tests, so that a delayed shutdown fails them.
  product = await startProduct({ drainTimeoutMs: '600000', firstChunkBytes: '1024' });
  owner = await product.createAccount('owner');
  await product.stopWorker();
});

afterAll(() => product?.close());

const startApi = async (changes: Partial<Config> = {}) => {
  const api = await startFurther(product, 'api', { changes });
  return { api, client: { ...owner, baseUrl: api.baseUrl } };
};

it('the event stream of a pending upload ends cleanly at shutdown and continues at another process', async () => {
  const dataset = await createDataset(owner);
  const upload = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n1\n'), 201);
  const { api, client } = await startApi();
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

it('a client that waits for the outcome receives the status pending at shutdown', async () => {
  const dataset = await createDataset(owner);
  const { api, client } = await startApi();
  const waiting = putWith(client, dataset, 'a\n1\n', { async: 'false', wait: '55' });
  const hasBegun = async (): Promise<boolean> =>
    (await product.sql.query('SELECT id FROM processes WHERE dataset_id = $1', [dataset])).length > 0;
  while (!(await hasBegun())) await new Promise((resolve) => setTimeout(resolve, 20));
  await api.stop();
  const answer = await waiting;
  // The client must connect to another process.
  expect(answer.headers.get('connection')).toBe('close');
  const process = await json<ProcessAnswer>(answer, 201);
  expect(process.status).toBe('pending');
  await product.startWorker();
  expect(await ended(owner, process)).toMatchObject({ status: 'completed', rows: 1 });
});

/** Uploads an endless file. Resolves when the connection has closed. */
const sendEndless = (client: Client, dataset: number): Promise<void> =>
  new Promise((resolve) => {
    const boundary = 'stopping-4f1c';
    const outgoing = request(`${client.baseUrl}/datasets/${dataset}/data`, {
      method: 'PUT',
      agent: false,
      headers: { ...authorization(client.key), 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
    const drip = setInterval(() => {
      if (!outgoing.writableNeedDrain) outgoing.write('1,2\n'.repeat(1_000));
    }, 10);
    outgoing.on('response', (answer) => answer.resume());
    outgoing.on('error', () => undefined);
    outgoing.on('close', () => {
      clearInterval(drip);
      resolve();
    });
    outgoing.write(
      `--${boundary}\r\nContent-Disposition: form-data; name="data"; filename="data.csv"\r\n\r\na,b\n`,
    );
  });

it('uploads that are still running after the drain timeout are aborted and fail', async () => {
  const { api, client } = await startApi({ drainTimeoutMs: 500 });
  const datasets = await Promise.all(Array.from({ length: 12 }, () => createDataset(owner)));
  const uploads = datasets.map((dataset) => sendEndless(client, dataset));
  const codes = async (): Promise<(string | null)[]> =>
    (
      await product.sql.query<{ code: string | null }>(
        `SELECT error->>'code' AS code FROM processes WHERE dataset_id = ANY($1)`,
        [datasets],
      )
    ).map(({ code }) => code);
  while ((await codes()).length < datasets.length) await new Promise((resolve) => setTimeout(resolve, 20));
  await api.stop();
  await Promise.all(uploads);
  expect(await codes()).toEqual(datasets.map(() => 'upload_cut'));
});
