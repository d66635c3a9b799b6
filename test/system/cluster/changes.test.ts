/** Random changes of datasets that are on two shards: every version is that of a plain table. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { changeAtRandom, changesOfRound, rounds } from '../../support/changes/random.js';
import { startChangingCluster } from '../../support/clickhouse-shards.js';
import type { Client } from '../../support/datasets.js';
import { longestTestMs } from '../../support/patience.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const datasets = 8;
const seed = 20_261_126;

const scope = createScope(silentLog);
let product: TestProduct;
let client: Client;

beforeAll(async () => {
  const cluster = await startChangingCluster(scope);
  await cluster.configure(1, 1);
  product = await startProduct({
    clickhouseUrl: cluster.access.clickhouseUrl ?? '',
    clickhouseCluster: cluster.access.clickhouseCluster ?? '',
    spreadMinBytes: '200',
    poolMaxRows: '12',
    patchMaxPercent: '80',
    firstChunkBytes: '256',
    chunkBytes: '1024',
    compactionIntervalMs: '300',
    compactionMinSegments: '3',
    exportsAheadBytes: '0',
    // The test sweeps by itself while nobody reads.
    storageSweepIntervalMs: '86400000',
  });
  client = await product.createAccount('owner');
});

afterAll(async () => {
  await product?.close();
  await scope.close();
});

it(`every version of ${datasets} datasets on two shards is that of a plain table (seed ${seed})`, {
  timeout: longestTestMs + datasets * 20_000,
}, async () => {
  const changes = await changeAtRandom(product, client, { datasets, seed });
  expect(changes).toBeGreaterThan(datasets * rounds * changesOfRound * 0.8);
  const [seen] = await product.sql.query(
    `SELECT (SELECT count(*) > 0 FROM compactions WHERE state = 'done') AS joined,
       (SELECT count(*) > 0 FROM compactions WHERE state = 'done' AND folds) AS folded,
       (SELECT count(*) > 0 FROM segments g JOIN stores s ON s.id = g.store_id WHERE g.patch AND s.everywhere) AS patches`,
  );
  expect(seen).toEqual({ joined: true, folded: true, patches: true });
});
