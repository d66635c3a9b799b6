import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClusterCommands } from '../../../src/admin/cluster.js';
import { createSweepCommands } from '../../../src/admin/sweep.js';
import { openCluster } from '../../../src/compose/cluster.js';
import { openStorageSweep } from '../../../src/compose/sweep.js';
import { startEmbedded } from '../../../src/embedded/components.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import type { ClusterView } from '../../../src/rows/index.js';
import { runAdmin } from '../../support/admin.js';
import { clickHouseText } from '../../support/clickhouse-http.js';
import { type Client, call, createDataset, download, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const dataDir = mkdtempSync(join(tmpdir(), 'tabulary-cluster-'));
const nodes = createScope(silentLog);

let product: TestProduct;
let owner: Client;
let urls: readonly string[];
/** CSV content by dataset. */
const contents = new Map<number, string>();

const lines = (rows: number, of: number): string =>
  `a,b,c\n${Array.from({ length: rows }, (_, row) => `${of}.${row},text ${row},2024-01-0${(row % 9) + 1}\n`).join('')}`;

/** Runs a `cluster` command. */
const cluster = async <T>(line: string): Promise<T & { exitCode: number }> => {
  const ran = await runAdmin(product, [createClusterCommands(openCluster)], `cluster ${line} --json`);
  return { ...JSON.parse(ran.output), exitCode: ran.exitCode };
};

const shardsOfStores = async (): Promise<Map<number, number>> => {
  const rows = await product.sql.query<{ dataset: number; shard: number }>(
    'SELECT d.id AS dataset, s.shard FROM datasets d JOIN stores s ON s.id = d.store_id',
  );
  return new Map(rows.map(({ dataset, shard }) => [dataset, shard]));
};

/** Counts the rows of all versions of a dataset, as stored on a shard and as recorded. */
const rowsOn = async (dataset: number, shard: number): Promise<{ found: number; expected: number }> => {
  const segments = await product.sql.query<{ id: number; store: number; rows: number; pool: string | null }>(
    `SELECT g.id, g.store_id AS store, g.rows, m.pool FROM segments g JOIN datasets d ON d.store_id = g.store_id
     LEFT JOIN slot_maps m ON m.id = g.slot_map_id
     WHERE d.id = $1 AND EXISTS (SELECT 1 FROM segment_ranges r WHERE r.segment_id = g.id)`,
    [dataset],
  );
  const sum = { found: 0, expected: 0 };
  for (const { id, store, rows, pool } of segments) {
    const table = `${product.config.clickhouseDatabase}.${pool === null ? `s${store}` : `pool_${pool}`}`;
    const sql = `SELECT count() FROM ${table} WHERE _seg = ${id}`;
    sum.found += Number(await clickHouseText(urls[shard - 1] ?? '', { sql }));
    sum.expected += rows;
  }
  return sum;
};

/** Checks that every dataset can be read unchanged and that its shard has all of its rows. */
const expectWhole = async (): Promise<void> => {
  const shards = await shardsOfStores();
  for (const [dataset, content] of contents) {
    expect(await download(owner, dataset), `dataset ${dataset}`).toBe(content);
    const { found, expected } = await rowsOn(dataset, shards.get(dataset) ?? 0);
    expect(found, `rows of dataset ${dataset}`).toBe(expected);
    expect(found).toBeGreaterThan(0);
  }
};

beforeAll(async () => {
  const need = { postgres: false, kafka: false, clickhouse: true };
  const { access } = await startEmbedded({ dataDir, need, clickhouseNodes: 3, log: silentLog, scope: nodes });
  urls = access.clickhouseNodeUrls?.split(',') ?? [];
  product = await startProduct({
    ...access,
    poolMaxRows: '40',
    spreadMinBytes: '40000',
    firstChunkBytes: '4096',
    chunkBytes: '16384',
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
  });
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('ada')).key };
  for (let number = 1; number <= 9; number += 1) {
    const dataset = await createDataset(owner);
    const content = lines(number > 6 ? 500 : 10 + number, number);
    const done = await upload(owner, dataset, content);
    expect(done.status, JSON.stringify(done)).toBe('completed');
    contents.set(dataset, await download(owner, dataset));
  }
});

afterAll(async () => {
  await product.close();
  await nodes.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('the shards of a cluster', () => {
  it('are listed with their state, weight, stores and disk space', async () => {
    const view = await cluster<ClusterView>('show');
    expect(view.cluster).toBe('tabulary');
    // With equal weights, datasets are distributed round-robin.
    expect(view.shards.map(({ shard, state, weight, stores }) => [shard, state, weight, stores])).toEqual(
      [1, 2, 3].map((shard) => [shard, 'in use', 1, contents.size / 3]),
    );
    await expectWhole();
    for (const { nodes: at, bytes, freeBytes, error } of view.shards) {
      expect(at).toMatch(/^127\.0\.0\.1:\d+$/);
      expect(error).toBeNull();
      expect(bytes).toBeGreaterThanOrEqual(0);
      expect(freeBytes).toBeGreaterThan(0);
    }
  });

  it('get lost tables recreated by a sweep, and reads never return too few rows', async () => {
    const dataset = await createDataset(owner);
    const content = lines(4_000, 7);
    expect((await upload(owner, dataset, content)).status).toBe('completed');
    const [row] = await product.sql.query<{ store: number; shard: number | null }>(
      'SELECT s.id AS store, CASE WHEN NOT s.everywhere THEN s.shard END AS shard FROM datasets d JOIN stores s ON s.id = d.store_id WHERE d.id = $1',
      [dataset],
    );
    expect(row?.shard).toBeNull();
    const table = `${product.config.clickhouseDatabase}.s${row?.store}`;
    const columnsOn = (shard: number): Promise<string> =>
      clickHouseText(urls[shard - 1] ?? '', {
        sql: `SELECT groupArray(name) FROM (SELECT name FROM system.columns WHERE database || '.' || table = '${table}' ORDER BY name)`,
      });
    const columns = await columnsOn(1);
    await clickHouseText(urls[2] ?? '', { sql: `DROP TABLE ${table} SYNC` });
    const question = `/datasets/${dataset}/data?$filter=${encodeURIComponent('a ge 0')}`;
    expect((await call(owner, 'GET', question)).status).toBe(503);
    await runAdmin(product, [createSweepCommands(openStorageSweep)], 'sweep');
    expect(await columnsOn(3)).toBe(columns);
    expect((await call(owner, 'GET', question)).status).toBe(503);
    expect((await upload(owner, dataset, content)).status).toBe('completed');
    expect((await download(owner, dataset, '?$select=b')).split('\n')).toHaveLength(4_002);
    expect((await cluster<ClusterView>('show')).everywhereStores).toBe(1);
  });
});
