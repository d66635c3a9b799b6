import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createDataset, download, readDataset } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

const connections = 8;
const uploads = 20;

let product: TestProduct;
let owner: Client;
let neighbour: Client;

beforeAll(async () => {
  product = await startProduct({ databasePool: String(connections) });
  owner = await product.createAccount('ada');
  neighbour = await product.createAccount('bob');
});

afterAll(() => product?.close());

/** Number of sessions that wait for the lock of a dataset. */
const countWaiting = async (): Promise<number> => {
  const [row] = await product.sql.query<{ waiting: number }>(
    `SELECT count(*)::integer AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%datasets%'`,
  );
  return row?.waiting ?? 0;
};

it('many uploads that wait for the lock of their dataset leave connections for other requests', async () => {
  const [locked, other] = [await createDataset(owner), await createDataset(neighbour)];
  await uploadWith(owner, locked, 'n\n0\n', {});
  const holder = new pg.Client({ connectionString: product.config.databaseUrl });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM datasets WHERE id = $1 FOR NO KEY UPDATE', [locked]);
  const sent = Array.from({ length: uploads }, (_, at) =>
    uploadWith(owner, locked, `n\n${at + 1}\n`, { mode: 'append' }),
  );
  await expect.poll(countWaiting).toBe(connections / 4);
  expect(await readDataset(neighbour, other)).toMatchObject({ id: other });
  await uploadWith(neighbour, other, 'n\n1\n', {});
  expect(await countWaiting()).toBe(connections / 4);
  await holder.query('COMMIT');
  await holder.end();
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(
    Array.from({ length: uploads }, () => 'completed'),
  );
  const rows = (await download(owner, locked)).trim().split('\n').slice(1).map(Number);
  expect(rows.sort((a, b) => a - b)).toEqual(Array.from({ length: uploads + 1 }, (_, at) => at));
});
