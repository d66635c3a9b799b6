/** Random changes of datasets on two shards, checked against a model in memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { changeAtRandom, changesOfRound, rounds } from '../../support/changes/random.js';
import { type ChangingCluster, startChangingCluster } from '../../support/clickhouse-shards.js';
import { type Client, call, createDataset, upload } from '../../support/datasets.js';
import { longestTestMs } from '../../support/patience.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

const datasets = Number(process.env.CLUSTER_DATASETS ?? 4);
const seed = 20_261_126;

const scope = createScope(silentLog);
let cluster: ChangingCluster;
let product: TestProduct;
let client: Client;

beforeAll(async () => {
  cluster = await startChangingCluster(scope);
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
    // The test sweeps itself while there are no readers.
    storageSweepIntervalMs: '86400000',
  });
  client = await product.createAccount('owner');
});

afterAll(async () => {
  await product?.close();
  await scope.close();
});

it(`every version of ${datasets} randomly changed datasets on two shards matches the model (seed ${seed})`, {
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

it('a read of a version with patches is complete or 503 while a shard is down', async () => {
  const header = 'key,value\n';
  const dataset = await createDataset(client);
  const lines = Array.from({ length: 400 }, (_, at) => `key ${at},${at}\n`);
  await upload(client, dataset, header + lines.join(''));
  // Less than a tenth of the rows, since more would be folded into a new base.
  const changed = Array.from({ length: 30 }, (_, at) => `key ${at * 12},${1000 + at}\n`);
  await uploadWith(client, dataset, header + changed.join(''), { mode: 'upsert', key: 'key' });
  await uploadWith(client, dataset, 'key\nkey 1\nkey 12\nkey 399\n', { mode: 'delete', key: 'key' });
  await uploadWith(client, dataset, `${header}late,5\n`, { mode: 'append' });
  const [stored] = await product.sql.query(
    `SELECT bool_or(g.patch) AS patches, bool_and(s.everywhere) AS everywhere
     FROM segment_ranges r JOIN segments g ON g.id = r.segment_id JOIN stores s ON s.id = g.store_id
     WHERE r.dataset_id = $1 AND r.until_version IS NULL`,
    [dataset],
  );
  expect(stored).toEqual({ patches: true, everywhere: true });
  const read = async (query: string): Promise<{ status: number; text: string | undefined }> => {
    const answer = await call(client, 'GET', `/datasets/${dataset}/data?${query}`);
    return { status: answer.status, text: await answer.text().catch(() => undefined) };
  };
  const queries = [
    '$skip=0',
    '$skip=390',
    `$skip=0&$filter=${encodeURIComponent('value ge 1000')}`,
    `$apply=${encodeURIComponent('aggregate(value with sum as total,$count as rows)')}`,
  ];
  const whole = new Map<string, string | undefined>();
  for (const query of queries) whole.set(query, (await read(query)).text);
  expect(whole.get('$skip=0')?.trimEnd().split('\n')).toHaveLength(1 + 400 - 3 + 1);
  const statuses = new Set<number>();
  for (const query of queries) {
    cluster.kill(1);
    for (;;) {
      const { status, text } = await read(query);
      statuses.add(status);
      expect([200, 503]).toContain(status);
      if (status === 200 && text !== undefined) {
        expect(text, query).toBe(whole.get(query));
        break;
      }
      await sleep(50);
    }
  }
  expect(statuses).toContain(503);
});
