/** Uploads whose statements PostgreSQL has executed although the API got no answer. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Client, createDataset, download, upload } from '../../support/datasets.js';
import { type FurtherProcess, startFurther } from '../../support/further-process.js';
import { createLossyProxy, type LossyProxy } from '../../support/lossy-proxy.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { putWith, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;
let database: LossyProxy;
/** API process behind the proxy. */
let behind: FurtherProcess;

beforeAll(async () => {
  product = await startProduct();
  owner = await product.createAccount('owner');
  database = await createLossyProxy(product.config.databaseUrl ?? '');
  behind = await startFurther(product, 'api', { changes: { databaseUrl: database.url } });
});

afterEach(() => database.back());

afterAll(async () => {
  await behind?.stop();
  await database?.close();
  await product?.close();
});

it('an upload is answered with its process when the answer to its release was lost', async () => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, 'k\n0\n');
  const lost = database.lose('SET sealed_at = now()');
  const sent = uploadWith({ ...owner, baseUrl: behind.baseUrl }, dataset, 'k\n1\n', { mode: 'append' });
  await lost;
  database.back();
  expect(await sent).toMatchObject({ status: 'completed' });
  expect(await download(owner, dataset)).toBe('"k"\n0\n1\n');
});

it('an upload fails at once, and blocks no other, when a statement after its acceptance failed', async () => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, 'k\n0\n');
  await product.sql.query(`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the connection is lost' USING errcode = '57P01'; END $$`);
  await product.sql.query(
    'CREATE TRIGGER lose BEFORE UPDATE OF file_digest ON processes FOR EACH ROW EXECUTE FUNCTION lose()',
  );
  const refused = await putWith(owner, dataset, 'k\n1\n', { mode: 'append' });
  await product.sql.query('DROP TRIGGER lose ON processes');
  expect(refused.status).toBe(503);
  const [process] = await product.sql.query(
    `SELECT status, error ->> 'code' AS code FROM processes WHERE dataset_id = $1 ORDER BY id DESC LIMIT 1`,
    [dataset],
  );
  expect(process).toEqual({ status: 'failed', code: 'upload_broken_off' });
  expect(await uploadWith(owner, dataset, 'k\n1\n', { mode: 'append' })).toMatchObject({
    status: 'completed',
  });
});
