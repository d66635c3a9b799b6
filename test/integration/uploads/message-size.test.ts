import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createDataset,
  download,
  json,
  putFile,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ maxMessageBytes: String(64 * 1024) });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

/** Random letters, which compress to three quarters at best. */
const noise = (bytes: number): string => randomBytes(bytes).toString('base64').slice(0, bytes);

const fileOf = (rows: number, width: number): string =>
  ['"N","Text"', ...Array.from({ length: rows }, (_, row) => `${row},"${noise(width)}"`), ''].join('\n');

describe('messages of 64 KiB', () => {
  it.each([
    { what: 'a short file', rows: 300, width: 1_000 },
    { what: 'a file of many chunks', rows: 4_000, width: 1_500 },
    { what: 'records that almost fill a message', rows: 20, width: 70_000 },
  ])('hold parts of $what that compresses badly', async ({ rows, width }) => {
    const dataset = await createDataset(owner);
    const file = fileOf(rows, width);
    expect(await upload(owner, dataset, file)).toMatchObject({ status: 'completed', rows });
    expect((await download(owner, dataset, '?$skip=0')) === file).toBe(true);
  });

  it('cannot hold a record that is too long; the error names its line', async () => {
    const dataset = await createDataset(owner);
    const file = `${fileOf(3, 10)}3,"${noise(200_000)}"\n`;
    const refused = await json<{ code: string; error: string }>(await putFile(owner, dataset, file), 400);
    expect(refused).toMatchObject({ code: 'record_too_large', error: expect.stringContaining('Line 5: ') });
    expect(await readDataset(owner, dataset)).toMatchObject({ rowCount: 0 });
  });
});
