/** Files large enough to be compared in buckets before their keys are looked up, or with more keys than a list may have. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createDataset, download, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct();
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

interface Row {
  /** Null for an empty field. */
  readonly key: string | null;
  readonly value: string;
}

const count = 110_000;
const first: Row[] = Array.from({ length: count }, (_, at) => ({
  key: at === 5_000 ? null : `key ${at}`,
  value: `v${at % 977}`,
}));

const fieldOf = (text: string | null): string => (text === null ? '' : `"${text}"`);
const csvOf = (rows: readonly Row[]): string =>
  `"key","value"\n${rows.map(({ key, value }) => `${fieldOf(key)},${fieldOf(value)}\n`).join('')}`;

/** Rows after a sync: known keys in place, new ones at the end. */
const synced = (base: readonly Row[], file: readonly Row[]): Row[] => {
  const byKey = new Map(file.map((row) => [row.key, row]));
  const known = new Set(base.map(({ key }) => key));
  const kept = base.flatMap(({ key }) => byKey.get(key) ?? []);
  return [...kept, ...file.filter((row) => byKey.get(row.key) === row && !known.has(row.key))];
};

const changed = (row: Row): Row => ({ ...row, value: `${row.value} changed` });
const row = (key: string): Row => ({ key, value: 'new' });

/** Files derived from the previous rows, and the changes of their sync. */
const files: readonly { name: string; of: (rows: readonly Row[]) => Row[]; changes: object }[] = [
  {
    name: 'with changed values, one of them of the row without a key',
    of: (rows) => rows.map((one, at) => (at % 1_000 === 0 ? changed(one) : one)),
    changes: { inserted: 0, replaced: 110, unchanged: count - 110, removed: 0 },
  },
  {
    name: 'with the same rows in another order',
    of: (rows) => rows.toReversed(),
    changes: { inserted: 0, replaced: 0, unchanged: count, removed: 0 },
  },
  {
    name: 'with rows before, between and after the others, without some of them, and with changed ones',
    of: (rows) => [
      row('before'),
      ...rows.slice(10, 50_000),
      row('between'),
      ...rows.slice(50_000, 100_000).map((one, at) => (at < 20 ? changed(one) : one)),
      ...rows.slice(100_003),
      row('behind'),
    ],
    changes: { inserted: 3, replaced: 20, unchanged: count - 33, removed: 13 },
  },
  {
    name: 'without one row',
    of: (rows) => rows.filter((_, at) => at !== 77_777),
    changes: { inserted: 0, replaced: 0, unchanged: count - 11, removed: 1 },
  },
  {
    name: 'whose last rows have the keys of earlier ones',
    of: (rows) => [...rows, changed(rows[3] ?? row('')), { ...row('twice'), value: 'lost' }, row('twice')],
    changes: { inserted: 1, replaced: 1, unchanged: count - 12, removed: 0 },
  },
  {
    name: 'with another value in every row, and new rows',
    of: (rows) => [...rows.map(changed), row('one more'), row('and another')],
    changes: { inserted: 2, replaced: count - 10, unchanged: 0, removed: 0 },
  },
];

it('syncs of many rows have the counts and rows of the model', async () => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, csvOf(first));
  let rows = first;
  for (const { name, of, changes } of files) {
    const file = of(rows);
    const options = { mode: 'sync', key: 'key', onDuplicateKey: 'last' };
    const done = await uploadWith(owner, dataset, csvOf(file), options);
    expect(done, name).toMatchObject({ status: 'completed', ...changes });
    rows = synced(rows, file);
    expect((await download(owner, dataset)) === csvOf(rows), name).toBe(true);
  }
});

it('a sync refuses a key that two of many rows have, and names it', async () => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, csvOf(first));
  const file = [...first, row('key 7')];
  expect(await uploadWith(owner, dataset, csvOf(file), { mode: 'sync', key: 'key' })).toMatchObject({
    status: 'failed',
    error: { code: 'key_not_unique', examples: [{ in: 'file', key: { key: 'key 7' }, rows: 2 }] },
  });
});

it('a sync adds many rows again that the version before lacks', async () => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, csvOf(first));
  const half = await uploadWith(owner, dataset, csvOf(first.slice(0, 105_000)), { mode: 'sync', key: 'key' });
  expect(half).toMatchObject({ inserted: 0, replaced: 0, unchanged: 105_000, removed: 5_000 });
  const all = await uploadWith(owner, dataset, csvOf(first), { mode: 'sync', key: 'key' });
  expect(all).toMatchObject({ inserted: 5_000, replaced: 0, unchanged: 105_000, removed: 0 });
  expect((await download(owner, dataset)) === csvOf(first)).toBe(true);
});

it('a sync changes more rows than their positions can be listed', async () => {
  const dataset = await createDataset(owner);
  const rows = Array.from({ length: 210_000 }, (_, at) => row(`key ${at}`));
  await upload(owner, dataset, csvOf(rows));
  const file = [...rows.slice(1).map(changed), row('last')];
  const done = await uploadWith(owner, dataset, csvOf(file), { mode: 'sync', key: 'key' });
  expect(done).toMatchObject({ inserted: 1, replaced: 209_999, unchanged: 0, removed: 1 });
  expect((await download(owner, dataset)) === csvOf(file)).toBe(true);
});

it('an upsert adds hundreds of thousands of rows and changes a few', async () => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, csvOf(first));
  const added = Array.from({ length: 210_000 }, (_, at) => row(`added ${at}`));
  const file = [...first.slice(0, 40).map(changed), ...first.slice(40, 100), ...added];
  const done = await uploadWith(owner, dataset, csvOf(file), { mode: 'upsert', key: 'key' });
  expect(done).toMatchObject({ inserted: 210_000, replaced: 40, unchanged: 60, removed: 0 });
  const rows = [...first.slice(0, 40).map(changed), ...first.slice(40), ...added];
  expect((await download(owner, dataset)) === csvOf(rows)).toBe(true);
});
