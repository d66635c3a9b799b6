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
import type { ClusterView, MovedStores } from '../../../src/operations/cluster.js';
import { runAdmin } from '../../support/admin.js';
import { clickHouseText } from '../../support/clickhouse-http.js';
import {
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const dataDir = mkdtempSync(join(tmpdir(), 'tabulary-cluster-'));
const nodes = createScope(silentLog);

let product: TestProduct;
let owner: Client;
let urls: readonly string[];
/** Contents by dataset. */
const contents = new Map<number, string>();

const lines = (rows: number, of: number): string =>
  `a,b,c\n${Array.from({ length: rows }, (_, row) => `${of}.${row},text ${row},2024-01-0${(row % 9) + 1}\n`).join('')}`;

/** What a command of `cluster` says, and its exit code. */
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

/** Rows of the segments of a dataset, all versions, on one shard, and how many there should be. */
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

/** Every dataset reads as it was sent, and its shard has all of its rows. */
const expectWhole = async (): Promise<void> => {
  const shards = await shardsOfStores();
  for (const [dataset, content] of contents) {
    expect(await download(owner, dataset), `dataset ${dataset}`).toBe(content);
    const { found, expected } = await rowsOn(dataset, shards.get(dataset) ?? 0);
    expect(found, `rows of dataset ${dataset}`).toBe(expected);
    expect(found).toBeGreaterThan(0);
  }
};

/** What sweeps keep for readers is not waited for: a store may move again. */
const forgetLeft = (): Promise<unknown> =>
  product.sql.query('UPDATE stores SET left_shard = NULL, left_at = NULL');

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
  it('are emptied until one is left', async () => {
    for (const shard of [3, 2]) {
      await forgetLeft();
      const report = await cluster<MovedStores>(`drain ${shard}`);
      expect(report).toMatchObject({ left: [], exitCode: 0 });
    }
    expect(new Set((await shardsOfStores()).values())).toEqual(new Set([1]));
    await expectWhole();
    await expect(cluster('drain 1')).rejects.toMatchObject({ code: 'last_shard' });
    await expect(cluster('drain 4')).rejects.toMatchObject({ code: 'unknown_shard' });
  });

  it('are shown with what they hold', async () => {
    const view = await cluster<ClusterView>('show');
    expect(view.cluster).toBe('tabulary');
    expect(view.shards.map(({ shard, state, stores }) => [shard, state, stores])).toEqual([
      [1, 'in use', contents.size],
      [2, 'draining', 0],
      [3, 'draining', 0],
    ]);
    for (const { nodes: at, bytes, freeBytes, error } of view.shards) {
      expect(at).toMatch(/^127\.0\.0\.1:\d+$/);
      expect(error).toBeNull();
      expect(bytes).toBeGreaterThanOrEqual(0);
      expect(freeBytes).toBeGreaterThan(0);
    }
  });

  it('say what would be moved, and move nothing for that', async () => {
    await forgetLeft();
    await cluster('fill 2');
    await cluster('fill 3');
    const before = await shardsOfStores();
    const { planned, moved } = await cluster<MovedStores>('rebalance --dry-run');
    expect(planned).toBeGreaterThan(0);
    expect(moved).toBe(0);
    expect(await shardsOfStores()).toEqual(before);
  });

  it('leave a store alone that is written, and move it when the upload has ended', async () => {
    const [dataset = 0] = contents.keys();
    await product.stopWorker();
    const content = lines(33, 99);
    const sent = await json<ProcessAnswer>(await putFile(owner, dataset, content), 201);
    await cluster('drain 1 --dry-run');
    const report = await cluster<MovedStores>('drain 1 --wait 0');
    expect(report.left.map(({ reason }) => reason)).toEqual(['written']);
    expect(report).toMatchObject({ moved: contents.size - 1, exitCode: 1 });
    await product.startWorker();
    expect((await ended(owner, sent)).status).toBe('completed');
    contents.set(dataset, await download(owner, dataset));
    expect(await cluster<MovedStores>('drain 1')).toMatchObject({ moved: 1, left: [], exitCode: 0 });
    await expectWhole();
    expect([...(await shardsOfStores()).values()].every((shard) => shard !== 1)).toBe(true);
  });

  it('get the same rows where a killed move has left a part of them, and more than there should be', async () => {
    await cluster('fill 1');
    await forgetLeft();
    const database = product.config.clickhouseDatabase;
    const table = await product.sql.query<{ id: number; store: number }>(
      'SELECT g.id, g.store_id AS store FROM segments g WHERE g.slot_map_id IS NULL AND g.rows = 500',
    );
    // The first shard has the rows of before; nobody names them there any more.
    for (const { id, store } of table)
      await clickHouseText(urls[0] ?? '', {
        sql: `INSERT INTO ${database}.s${store} (_seg, _row) VALUES (${id}, 1000000)`,
      });
    await clickHouseText(urls[0] ?? '', {
      sql: `DELETE FROM ${database}.pool_narrow WHERE _row > 2 SETTINGS lightweight_deletes_sync = 1`,
    });
    for (const shard of [2, 3]) {
      const report = await cluster<MovedStores>(`drain ${shard}`);
      expect(report).toMatchObject({ left: [], exitCode: 0 });
      await forgetLeft();
    }
    expect(new Set((await shardsOfStores()).values())).toEqual(new Set([1]));
    await expectWhole();
  });

  it('are as full as each other after a rebalance, which leaves nothing for a second one', async () => {
    await cluster('fill 2');
    await cluster('fill 3');
    const report = await cluster<MovedStores>('rebalance');
    expect(report).toMatchObject({ left: [], exitCode: 0 });
    const large = [...(await shardsOfStores())].filter(
      ([dataset]) => (contents.get(dataset) ?? '').split('\n').length > 400,
    );
    expect(new Set(large.map(([, shard]) => shard))).toEqual(new Set([1, 2, 3]));
    await expectWhole();
    expect((await cluster<MovedStores>('rebalance --dry-run')).planned).toBe(0);
    const left = await clickHouseText(urls[0] ?? '', {
      sql: `SELECT count() FROM system.tables WHERE startsWith(name, 'm_')`,
    });
    expect(left.trim()).toBe('0');
  });

  it('get back the tables that one of them has lost, and no read is short meanwhile', async () => {
    const dataset = await createDataset(owner);
    const content = lines(4_000, 7);
    expect((await upload(owner, dataset, content)).status).toBe('completed');
    const [row] = await product.sql.query<{ store: number; shard: number | null }>(
      'SELECT s.id AS store, s.shard FROM datasets d JOIN stores s ON s.id = d.store_id WHERE d.id = $1',
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
    expect((await cluster<ClusterView>('show')).spreadStores).toBe(1);
    await cluster('drain 2 --dry-run');
  });
});
