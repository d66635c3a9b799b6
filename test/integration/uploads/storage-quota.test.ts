import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  call,
  createDataset,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

const kilobyte = `n,t\n${'1,abcdefghijk\n'.repeat(73)}`;

beforeAll(async () => {
  product = await startProduct();
  await product.sql.query(
    `INSERT INTO plans SELECT (jsonb_populate_record(p, '{"name":"tiny","max_stored_bytes":2500}')).* FROM plans p
     WHERE name = 'unlimited'`,
  );
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('owner', 'tiny')).key };
});

afterAll(() => product?.close());

it('an upload beyond the stored bytes of the plan is 402 with the limit, and stores nothing', async () => {
  const [first, second, third] = [
    await createDataset(owner),
    await createDataset(owner),
    await createDataset(owner),
  ];
  expect((await upload(owner, first, kilobyte)).status).toBe('completed');
  expect((await upload(owner, second, kilobyte)).status).toBe('completed');
  const answer = await json<{ code: string; details: object }>(await putFile(owner, third, kilobyte), 402);
  expect(answer.details).toMatchObject({ limit: 2500 });
  expect(await readDataset(owner, third)).toMatchObject({ currentVersionId: null, columns: [] });
});

it('no more concurrent uploads succeed than fit into the plan', async () => {
  const other = { ...owner, key: (await product.createAccount('racer', 'tiny')).key };
  const datasets = await Promise.all(Array.from({ length: 6 }, () => createDataset(other)));
  const answers = await Promise.all(datasets.map((dataset) => putFile(other, dataset, kilobyte)));
  const accepted = answers.filter(({ status }) => status === 201).length;
  expect(accepted).toBeLessThanOrEqual(2);
  expect(answers.every(({ status }) => status === 201 || status === 402)).toBe(true);
});

describe('merges of columns', () => {
  const file = `a,b\n${'abcdefghij,\n'.repeat(80)}`;
  let merging: Client;

  const merge = async (dataset: number): Promise<Response> => {
    const { columns } = await readDataset(merging, dataset);
    const id = columns.find(({ name }) => name === 'b')?.id;
    return call(merging, 'PATCH', `/datasets/${dataset}/columns/${id}?wait=0`, { name: 'a', merge: true });
  };

  /** Creates datasets of an account with space for one more copy. */
  const prepare = async (count: number): Promise<number[]> => {
    const plan = `room${count}`;
    await product.sql.query(
      `INSERT INTO plans SELECT (jsonb_populate_record(p, jsonb_build_object('name', $1::text, 'max_stored_bytes', $2::bigint))).*
       FROM plans p WHERE name = 'unlimited'`,
      [plan, (count + 1.5) * file.length],
    );
    merging = { ...owner, key: (await product.createAccount(plan, plan)).key };
    const datasets = await Promise.all(Array.from({ length: count }, () => createDataset(merging)));
    for (const dataset of datasets) expect((await upload(merging, dataset, file)).status).toBe('completed');
    return datasets;
  };

  it('reserve the storage of their copies while they are pending', async () => {
    const [first = 0, second = 0] = await prepare(2);
    await product.stopWorker();
    const pending = await json<ProcessAnswer>(await merge(first), 202);
    expect((await json<{ code: string }>(await merge(second), 402)).code).toMatch(/quota/);
    // A repeated request does not reserve space again.
    expect(await json<ProcessAnswer>(await merge(first), 202)).toMatchObject({ id: pending.id });
    await json(await call(merging, 'DELETE', `/datasets/${first}/processes/${pending.id}`));
    const next = await json<ProcessAnswer>(await merge(second), 202);
    await product.startWorker();
    expect(await ended(merging, next)).toMatchObject({ status: 'completed' });
  });

  it('use the remaining storage of a plan only once under concurrency', async () => {
    const answers = await Promise.all((await prepare(5)).map(merge));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 402, 402, 402, 402]);
  });
});
