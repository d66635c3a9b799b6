/** A regenerated Parquet file has the same bytes, no matter where its rows are stored by then. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClickHouse } from '../../../src/storage/clickhouse/client.js';
import { compact, openClickHouse } from '../../support/compaction.js';
import { authorization, type Client, createDataset } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;
let clickhouse: ClickHouse;

beforeAll(async () => {
  product = await startProduct({
    compactionMinSegments: '0',
    patchMaxPercent: '80',
    patchFoldMinPercent: '0',
  });
  owner = await product.createAccount('owner');
  clickhouse = openClickHouse(product);
});

afterAll(async () => {
  await clickhouse?.close();
  await product?.close();
});

const rows = (from: number, count: number, note = ''): string =>
  `day,k,note,v\n${Array.from({ length: count }, (_, at) => {
    const n = from + at;
    return `2024-01-${String((n % 28) + 1).padStart(2, '0')},${n},${n % 7 === 0 ? '' : `note ${note}${n % 1_000}`},${n / 8}\n`;
  }).join('')}`;

const readFile = async (dataset: number, query = ''): Promise<Buffer> => {
  const answer = await fetch(`${product.baseUrl}/datasets/${dataset}/data.parquet${query}`, {
    headers: authorization(owner.key),
  });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
};

const deleteFiles = async (): Promise<void> => {
  await rm(join(product.config.dataDir, 'exports'), { recursive: true, force: true });
};

const segmentsOf = async (dataset: number): Promise<string> => {
  const found = await product.sql.query<{ id: number }>(
    'SELECT segment_id AS id FROM segment_ranges WHERE dataset_id = $1 AND until_version IS NULL ORDER BY 1',
    [dataset],
  );
  return found.map(({ id }) => id).join();
};

it.each([
  ['of several row groups, after appends', 45_000, 'append'],
  ['of several row groups, after upserts', 45_000, 'upsert'],
  ['of rows in a pool', 40, 'append'],
] as const)('a Parquet file regenerated after a fold has the same bytes: %s', async (_name, count, mode) => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, rows(0, count), {});
  const versions: string[] = [];
  // Each upsert replaces half of the previous rows.
  const options = mode === 'append' ? { mode } : { mode, key: 'k' };
  const step = mode === 'append' ? count : count / 2;
  for (let turn = 1; turn <= 6; turn += 1) {
    const more = rows(turn * step, count, `of ${turn} `);
    const { versionId } = await uploadWith(owner, dataset, more, options);
    versions.push(versionId ?? '');
  }
  const old = `?versionId=${versions[3]}`;
  const [before, oldBefore] = [await readFile(dataset), await readFile(dataset, old)];
  expect(before.equals(oldBefore)).toBe(false);
  const segments = await segmentsOf(dataset);
  const folds = { minPercent: 1, minRows: 0, intervalMs: 0, hasRoom: async () => true };
  expect(await compact(product, clickhouse, { folds })).toBeGreaterThan(0);
  expect(await segmentsOf(dataset)).not.toBe(segments);
  await deleteFiles();
  expect((await readFile(dataset)).equals(before)).toBe(true);
  expect((await readFile(dataset, old)).equals(oldBefore)).toBe(true);
});
