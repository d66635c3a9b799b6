/** Requests that wait for an outcome do not keep an API process from ending, and are not cut off by its end. */
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
  // Longer than the test: whatever holds the process up until then fails it.
  product = await startProduct({ drainTimeoutMs: '600000', firstChunkBytes: '1024' });
  owner = await product.createAccount('owner');
  await product.stopWorker();
});

afterAll(() => product?.close());

const reach = async (changes: Partial<Config> = {}) => {
  const api = await startFurther(product, 'api', { changes });
  return { api, client: { ...owner, baseUrl: api.baseUrl } };
};

it('events of a pending upload end in order when the process stops, and continue at the next process', async () => {
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

it('a client that waits for the outcome is answered that the upload is pending', async () => {
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

/** Sends rows on and on; resolves when its connection has ended. */
const sendForEver = (client: Client, dataset: number): Promise<void> =>
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

it('uploads that do not end are aborted after the drain, and fail', async () => {
  const { api, client } = await reach({ drainTimeoutMs: 500 });
  const datasets = await Promise.all(Array.from({ length: 12 }, () => createDataset(owner)));
  const uploads = datasets.map((dataset) => sendForEver(client, dataset));
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
