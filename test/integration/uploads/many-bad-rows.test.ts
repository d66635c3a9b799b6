import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createDataset } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct();
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

/** The longest name of a column; JSON escapes each of its characters to six. */
const name = '\u0001'.repeat(2_000);
const options = { manifest: { columns: [{ name, dataType: 'Decimal' }] }, onBadRow: 'quarantine' };
const fileOf = (badRows: number): string => `${name}\n1\n${'x\n'.repeat(badRows)}`;

it('fails a file of half a million bad rows after the first 100,001', async () => {
  const dataset = await createDataset(owner);
  const failed = await uploadWith(owner, dataset, fileOf(500_000), options);
  expect(failed).toMatchObject({
    status: 'failed',
    error: { code: 'too_many_bad_rows' },
    rejectedRows: 100_001,
  });
});
