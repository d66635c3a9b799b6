/** Limit of rows in patches of a version, and cleanup of the rows that they hide. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, call, createDataset, download, readDataset } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type Options, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '0',
    patchMaxPercent: '40',
    patchMaxRows: '6',
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
    columnMergePollMs: '50',
  });
  owner = await product.createAccount('owner');
});
afterAll(() => product?.close());

const upsert = { mode: 'upsert', key: 'key' };
const remove = { mode: 'delete', key: 'key' };

const send = async (dataset: number, file: string, options: Options): Promise<void> => {
  expect(await uploadWith(owner, dataset, file, options)).toMatchObject({ status: 'completed', error: null });
};

/** Segments of the current version: rows, and for a patch `p` and the number of hidden rows. */
const segmentsOf = async (dataset: number): Promise<string[]> => {
  const found = await product.sql.query<{ stored: string }>(
    `SELECT g.rows || CASE WHEN g.patch THEN 'p' || g.hidden ELSE '' END AS stored
     FROM segment_ranges r JOIN segments g ON g.id = r.segment_id
     WHERE r.dataset_id = $1 AND r.until_version IS NULL ORDER BY g.id`,
    [dataset],
  );
  return found.map(({ stored }) => stored);
};

const rowsOf = async (dataset: number): Promise<string> =>
  (await download(owner, dataset)).replaceAll('"', '');

it('all rows are rewritten if the patches of a version would have more rows than the limit', async () => {
  const dataset = await createDataset(owner);
  const table = new Map(Array.from({ length: 20 }, (_, at) => [`k${at}`, at]));
  const text = (): string => `key,value\n${[...table].map(([key, value]) => `${key},${value}\n`).join('')}`;
  await send(dataset, text(), {});
  const change = async (keys: readonly string[], value: number): Promise<string[]> => {
    for (const key of keys) table.set(key, value);
    await send(dataset, `key,value\n${keys.map((key) => `${key},${value}\n`).join('')}`, upsert);
    expect(await rowsOf(dataset)).toBe(text());
    return segmentsOf(dataset);
  };
  expect(await change(['k0', 'k1', 'k2', 'k3'], 100)).toEqual(['20', '4p4']);
  // New rows are not looked up.
  expect(await change(['new 1', 'new 2', 'new 3'], 200)).toEqual(['20', '4p4', '3']);
  expect(await change(['k0', 'k1'], 300)).toEqual(['20', '4p4', '3', '2p2']);
  expect(await change(['k5'], 400)).toEqual(['23']);
  expect(await change(['k0', 'k1', 'k2', 'k3', 'k4', 'k5'], 500)).toEqual(['23', '6p6']);
  await send(dataset, 'key\nk7\n', remove);
  table.delete('k7');
  expect(await rowsOf(dataset)).toBe(text());
  expect(await segmentsOf(dataset)).toEqual(['22']);
});

it('columns are merged if their values collide only in replaced and deleted rows', async () => {
  const dataset = await createDataset(owner);
  const lines = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? `x${at},${at},\n` : `x${at},,${at}\n`));
  await send(dataset, `key,a,b\nboth,1,2\nother,3,4\n${lines.join('')}`, {});
  await send(dataset, 'key,a,b\nboth,5,\n', upsert);
  await send(dataset, 'key\nother\n', remove);
  expect(await segmentsOf(dataset)).toEqual(['12', '1p1', '1p2']);
  const gone = (await readDataset(owner, dataset)).columns.find(({ name }) => name === 'b')?.id;
  const answer = await call(owner, 'PATCH', `/datasets/${dataset}/columns/${gone}`, {
    name: 'a',
    merge: true,
  });
  expect(answer.status).toBe(200);
  expect(await rowsOf(dataset)).toBe(
    `key,a\nboth,5\n${Array.from({ length: 10 }, (_, at) => `x${at},${at}\n`).join('')}`,
  );
});

it('patches are joined as soon as a version has more than 16, even if the compaction interval is long', async () => {
  const busy = await startProduct({
    poolMaxRows: '0',
    patchMaxPercent: '40',
    compactionIntervalMs: '86400000',
    patchFoldMinPercent: '0',
  });
  try {
    const client = await busy.createAccount('owner');
    const dataset = await createDataset(client);
    const keys = Array.from({ length: 100 }, (_, at) => `k${at}`);
    await uploadWith(client, dataset, `key,value\n${keys.map((key) => `${key},0\n`).join('')}`, {});
    for (const key of keys.slice(0, 17)) await uploadWith(client, dataset, `key,value\n${key},1\n`, upsert);
    await expect
      .poll(async () => {
        const [found] = await busy.sql.query<{ patches: number }>(
          `SELECT count(*)::int AS patches FROM segment_ranges r JOIN segments g ON g.id = r.segment_id
             WHERE r.dataset_id = $1 AND r.until_version IS NULL AND g.patch`,
          [dataset],
        );
        return found?.patches;
      })
      .toBeLessThan(17);
    expect((await download(client, dataset)).replaceAll('"', '')).toBe(
      `key,value\n${keys.map((key, at) => `${key},${at < 17 ? 1 : 0}\n`).join('')}`,
    );
  } finally {
    await busy.close();
  }
});
