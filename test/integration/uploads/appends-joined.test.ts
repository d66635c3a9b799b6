/**
 * Appends to a dataset with its own table, and compaction of their segments. Concurrent changes and failures:
 * test/system/uploads/table-appends.test.ts and compaction.test.ts.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClickHouse } from '../../../src/storage/clickhouse/client.js';
import { compact, openClickHouse } from '../../support/compaction.js';
import {
  type Client,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { putWith, uploadWith } from '../../support/upload-options.js';
import { type Answers, answersOf } from './version-answers.js';

let product: TestProduct;
let owner: Client;
let clickhouse: ClickHouse;

beforeAll(async () => {
  product = await startProduct({ poolMaxRows: '0', compactionMinSegments: '0', patchFoldMinPercent: '0' });
  owner = await product.createAccount('owner');
  clickhouse = openClickHouse(product);
});

afterAll(async () => {
  await clickhouse?.close();
  await product?.close();
});

it('segments of queued appends are joined without changing a byte of any version', async () => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, 'day,k,v\n2024-01-01,first,1\n', {});
  await product.stopWorker();
  const sent: ProcessAnswer[] = [];
  for (let at = 0; at < 6; at += 1) {
    const row = `day,k,v\n2024-02-0${at + 1},"a ""b"", ${at}",${at}.25\n`;
    sent.push(await json<ProcessAnswer>(await putWith(owner, dataset, row, { mode: 'append' }), 201));
  }
  await product.startWorker();
  const done = await Promise.all(sent.map((process) => ended(owner, process)));
  expect(done.map(({ status }) => status)).toEqual(sent.map(() => 'completed'));
  const whole = `"day","k","v"\n"2024-01-01","first",1\n${sent
    .map((_process, at) => `"2024-02-0${at + 1}","a ""b"", ${at}",${at}.25\n`)
    .join('')}`;
  expect(await download(owner, dataset)).toBe(whole);

  const answers = async (): Promise<Answers> => {
    const found: Answers = new Map();
    for (const { versionId } of done)
      for (const [key, text] of await answersOf(owner, dataset, versionId ?? '')) found.set(key, text);
    return found;
  };
  const before = await answers();
  expect(await compact(product, clickhouse)).toBe(1);
  expect(await compact(product, clickhouse)).toBe(0);
  const [row] = await product.sql.query<{ current: number }>(
    'SELECT count(*)::int AS current FROM segment_ranges WHERE dataset_id = $1 AND until_version IS NULL',
    [dataset],
  );
  expect(row?.current).toBe(1);
  expect(await answers()).toEqual(before);
  expect(await download(owner, dataset)).toBe(whole);
});
