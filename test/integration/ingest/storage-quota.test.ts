import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createDataset, json, putFile, readDataset, upload } from '../../support/datasets.js';
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

it('an upload beyond the stored bytes of the plan is 402, says how much, and stores nothing', async () => {
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

it('of uploads that race for the last place not more succeed than fit', async () => {
  const other = { ...owner, key: (await product.createAccount('racer', 'tiny')).key };
  const datasets = await Promise.all(Array.from({ length: 6 }, () => createDataset(other)));
  const answers = await Promise.all(datasets.map((dataset) => putFile(other, dataset, kilobyte)));
  const taken = answers.filter(({ status }) => status === 201).length;
  expect(taken).toBeLessThanOrEqual(2);
  expect(answers.every(({ status }) => status === 201 || status === 402)).toBe(true);
});
