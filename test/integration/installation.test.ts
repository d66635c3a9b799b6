import { afterAll, beforeAll, expect, it } from 'vitest';
import { bindInstallation } from '../../src/rows/installation.js';
import { createClickHouse } from '../../src/storage/clickhouse/client.js';
import { startProduct, type TestProduct } from '../support/product.js';

let product: TestProduct;
let other: TestProduct;

beforeAll(async () => {
  [product, other] = [await startProduct(), await startProduct()];
});

afterAll(async () => {
  await product?.close();
  await other?.close();
});

const storeOf = ({ config }: TestProduct) =>
  createClickHouse({ url: config.clickhouseUrl ?? '', database: config.clickhouseDatabase });

it('a catalog accepts its own rows again', async () => {
  const clickhouse = storeOf(product);
  const id = await bindInstallation(product.sql, clickhouse);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(await bindInstallation(product.sql, clickhouse)).toBe(id);
  await clickhouse.close();
});

it('a catalog refuses the rows of another one, which a sweep would drop', async () => {
  const clickhouse = storeOf(product);
  await expect(bindInstallation(other.sql, clickhouse)).rejects.toMatchObject({
    code: 'foreign_rows',
    message: expect.stringContaining('CLICKHOUSE_DATABASE'),
  });
  await clickhouse.close();
});
