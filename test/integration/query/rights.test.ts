/** Answers break visibly when the permission is revoked while they are read. */

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../../src/catalog/keys.js';
import { authorization, type Client, call, json, upload } from '../../support/datasets.js';
import { readMetrics } from '../../support/metrics-text.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;
let bob: Client;
let ownerId: number;

beforeAll(async () => {
  product = await startProduct();
  const accounts = { owner: await product.createAccount('owner'), bob: await product.createAccount('bob') };
  owner = { baseUrl: product.baseUrl, key: accounts.owner.key };
  bob = { baseUrl: product.baseUrl, key: accounts.bob.key };
  ownerId = accounts.owner.id;
});

afterAll(() => product?.close());

/** Larger than the buffers of a new connection that is not read. */
const rows = `k,v\n${Array.from({ length: 300_000 }, (_, row) => `${row},${'x'.repeat(40)}${row}\n`).join('')}`;

const createIn = async (privacy: 'Public' | 'Private') => {
  const name = `r${Math.random()}`;
  const repository = (
    await json<{ id: number }>(await call(owner, 'POST', '/repositories', { name, privacy }), 201)
  ).id;
  const body = { name: 'rows', repositoryId: repository };
  const dataset = (await json<{ id: number }>(await call(owner, 'POST', '/datasets', body), 201)).id;
  return { repository, dataset };
};

const open = async (path: string, key?: string): Promise<IncomingMessage> => {
  const headers = key === undefined ? {} : authorization(key);
  // A connection that has served another answer may have a receive buffer that holds this whole answer, which is then complete.
  const request = get(`${product.baseUrl}${path}`, { headers, agent: false });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  answer.pause();
  return answer;
};

/** Number of broken answers by reason. */
const broken = async (): Promise<Record<string, number>> => {
  const { samples } = await readMetrics(product.baseUrl.replace(/\/api$/, ''));
  const counts: Record<string, number> = {};
  for (const { name, labels, value } of samples)
    if (name === 'tabulary_http_answers_broken_total')
      counts[labels.reason ?? ''] = (counts[labels.reason ?? ''] ?? 0) + value;
  return counts;
};

/** Revokes the permission, waits until the server has aborted the answer for that reason, and reads the rest. */
const expectAbort = async (answer: IncomingMessage, end: () => Promise<unknown>): Promise<void> => {
  const before = await broken();
  await end();
  await expect.poll(broken).toEqual({ ...before, right: (before.right ?? 0) + 1 });
  const read = async (): Promise<void> => {
    for await (const _ of answer);
  };
  await expect(read()).rejects.toThrow();
  expect(answer.complete).toBe(false);
};

/** Sends a request of the owner, which must succeed to revoke a permission. */
const succeed = async (method: string, path: string, body?: object): Promise<void> =>
  expect((await call(owner, method, path, body)).ok).toBe(true);

const newKey = () => createKeys({ sql: product.sql }).create(ownerId, { name: 'for one download' });
const revoke = (id: number) =>
  product.sql.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id]);

describe('an answer is aborted when its right ends:', () => {
  it('rows, when the key is revoked; reads with another key continue', async () => {
    const { dataset } = await createIn('Private');
    await upload(owner, dataset, rows);
    const key = await newKey();
    const path = `/datasets/${dataset}/data?$filter=k ge 0`;
    const [mine, others] = [await open(path, key.key), await open(path, owner.key)];
    await expectAbort(mine, () => revoke(key.id));
    let bytes = 0;
    for await (const piece of others) bytes += (piece as Buffer).length;
    expect(others.complete).toBe(true);
    expect(bytes).toBeGreaterThan(rows.length);
  });

  it('the file behind a link, when the grant of its requester is revoked', async () => {
    const { dataset, repository } = await createIn('Private');
    await upload(owner, dataset, rows);
    const grant = `/repositories/${repository}/permissions/bob`;
    await json(await call(owner, 'PUT', grant, { level: 'Read' }));
    const { headers } = await call(bob, 'GET', `/datasets/${dataset}/data`);
    const link = (headers.get('location') ?? '').replace(/^.*\/api/, '');
    await expectAbort(await open(link), () => succeed('DELETE', grant));
  });

  it('the rows of a comparison, when public data becomes private', async () => {
    const { dataset, repository } = await createIn('Public');
    const first = (await upload(owner, dataset, 'k,v\n1,a\n')).versionId;
    const second = (await upload(owner, dataset, rows)).versionId;
    const answer = await open(`/datasets/${dataset}/versions/${first}/diff/${second}/rows`);
    await expectAbort(answer, () =>
      succeed('PUT', `/repositories/${repository}`, { name: `r${Math.random()}`, privacy: 'Private' }),
    );
  });

  it('rows, when the dataset is deleted', async () => {
    const { dataset } = await createIn('Private');
    await upload(owner, dataset, rows);
    const answer = await open(`/datasets/${dataset}/data?$filter=k ge 0`, owner.key);
    await expectAbort(answer, () => succeed('DELETE', `/datasets/${dataset}`));
  });
});
