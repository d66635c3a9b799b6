/** The key of a version is checked in the background, ahead of an upsert. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createKeys } from '../../../src/rows/index.js';
import { type ClickHouse, createClickHouse } from '../../../src/storage/clickhouse/client.js';
import { createKeyCheck, type KeyCheck } from '../../../src/versions/merge/key-check.js';
import { type Client, createDataset } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;
let clickhouse: ClickHouse;
let check: KeyCheck['check'];

beforeAll(async () => {
  product = await startProduct({ segmentHashIntervalMs: '86400000' });
  owner = await product.createAccount('owner');
  const { clickhouseUrl: url = '', clickhouseDatabase: database } = product.config;
  clickhouse = createClickHouse({ url, database });
  check = createKeyCheck({ sql: product.sql, keys: createKeys(clickhouse, false), log: silentLog }).check;
});

afterAll(async () => {
  await clickhouse?.close();
  await product?.close();
});

const rows = 100_000;
/** Row `at` has the key of row `at` of `keys`. */
const fileOf = (keys: number): string =>
  `k,v\n${Array.from({ length: rows }, (_, at) => `k${at % keys},${at}\n`).join('')}`;

/** Recorded keys of a version: column names or null. */
const recordedKeysOf = async (versionId: string | null): Promise<(string[] | null)[]> =>
  (
    await product.sql.query<{ names: string[] | null }>(
      `SELECT (SELECT array_agg(c ->> 'name') FROM jsonb_array_elements(l.columns) AS c
         WHERE (c ->> 'storageId')::bigint = ANY (k.storage_ids)) AS names
       FROM version_keys k JOIN versions v ON v.id = k.version_id JOIN column_lists l ON l.id = v.column_list_id WHERE v.id = $1`,
      [versionId],
    )
  ).map(({ names }) => names);

const stop = new AbortController().signal;

it('a unique key is recorded for versions that are still current in the next round and have enough rows', async () => {
  const [dataset, repeating, small] = [
    await createDataset(owner),
    await createDataset(owner),
    await createDataset(owner),
  ];
  const unique = await uploadWith(owner, dataset, fileOf(rows), {});
  const repeated = await uploadWith(owner, repeating, fileOf(rows - 1), {});
  const few = await uploadWith(owner, small, 'k,v\na,1\n', {});
  expect(await check(stop)).toBe(0);
  expect(await check(stop)).toBe(2);
  expect(await recordedKeysOf(unique.versionId)).toEqual([['k']]);
  expect(await recordedKeysOf(repeated.versionId)).toEqual([null]);
  expect(await recordedKeysOf(few.versionId)).toEqual([]);
  expect(await check(stop)).toBe(0);

  // A key that is known not to be unique is refused, and can be changed.
  const options = { mode: 'upsert', key: 'k' };
  expect(await uploadWith(owner, repeating, 'k,v\nnew,1\n', options)).toMatchObject({
    status: 'failed',
    error: { code: 'key_not_unique' },
  });
  const byBoth = await uploadWith(owner, repeating, 'k,v\nnew,1\n', { mode: 'upsert', key: 'k,v' });
  expect(await recordedKeysOf(repeated.versionId)).toEqual([['k', 'v']]);
  expect(await recordedKeysOf(byBoth.versionId)).toEqual([['k', 'v']]);

  // Appended rows are checked again; replaced versions are not.
  const passing = await uploadWith(owner, dataset, 'k,v\np,1\n', { mode: 'append' });
  const last = await uploadWith(owner, dataset, 'k,v\nq,1\n', { mode: 'append' });
  expect(await check(stop)).toBe(0);
  expect(await check(stop)).toBe(1);
  expect(await recordedKeysOf(passing.versionId)).toEqual([]);
  expect(await recordedKeysOf(last.versionId)).toEqual([['k']]);
});

it('a unique key is recorded at once for a version that was changed by it, since frequent changes replace each version', async () => {
  const [dataset, repeating] = [await createDataset(owner), await createDataset(owner)];
  await uploadWith(owner, dataset, fileOf(rows), {});
  await uploadWith(owner, repeating, fileOf(rows - 1), {});
  const options = { mode: 'upsert', onDuplicateKey: 'last' };
  const change = (id: number, value: number) => uploadWith(owner, id, `k,v\nk5,${value}\n`, options);
  const first = await change(dataset, -1);
  expect(await recordedKeysOf(first.versionId)).toEqual([]);
  const repeated = await change(repeating, -1);
  expect(await check(stop)).toBe(2);
  expect(await recordedKeysOf(first.versionId)).toEqual([['k']]);
  expect(await recordedKeysOf(repeated.versionId)).toEqual([null]);
  // From here on the key is known without a check; after an ambiguous key, the next versions are not checked soon.
  expect(await recordedKeysOf((await change(dataset, -2)).versionId)).toEqual([['k']]);
  await change(repeating, -2);
  expect(await check(stop)).toBe(0);
});
