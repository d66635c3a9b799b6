/** A dataset that lies on three ClickHouse servers leaves one of them, while it is read and written. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiProcess } from '../../../src/compose/api-process.js';
import { openCluster } from '../../../src/compose/cluster.js';
import { createWorkerProcess } from '../../../src/compose/worker-process.js';
import type { Config } from '../../../src/config.js';
import { startEmbedded } from '../../../src/embedded/components.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import type { ClusterView, MovedStores } from '../../../src/operations/cluster.js';
import { type Client, createDataset } from '../../support/datasets.js';
import type { TestProduct } from '../../support/product.js';
import { createSpreadWorld, lines, onlyClickhouse } from './spread-world.js';

const fewerNodes = createScope(silentLog);
const world = createSpreadWorld();
const { send, expectSame, cluster, on, rowsOf, storeOf, sweepLeft, verified } = world;

let product: TestProduct;
let owner: Client;

const sizes = { firstChunkBytes: '4096', chunkBytes: '16384', poolMaxRows: '40', spreadMinBytes: '40000' };
let large = 0;

beforeAll(async () => {
  owner = await world.start({ ...sizes, compactionMinSegments: '0' });
  product = world.product();
  const small = await createDataset(owner);
  await send(owner, small, lines(500, 7), { mode: 'replace' });
  large = await createDataset(owner);
  await send(owner, large, lines(4_000, 0), { mode: 'replace' });
  await send(owner, large, lines(30, 4_000), { mode: 'append' });
  // This one lies in a pool.
  await send(owner, large, lines(20, 9_000), { mode: 'replace' });
  await send(owner, large, lines(3_000, 500), { mode: 'replace' });
  await send(owner, large, lines(1_200, 3_000), { mode: 'upsert', key: 'station' });
  expect(await storeOf(large)).toMatchObject({ shard: null });
});

afterAll(async () => {
  await fewerNodes.close();
  await world.close();
});

describe('a spread dataset', () => {
  it('leaves a shard while it is read and written', async () => {
    expect(Math.min(...(await rowsOf(`^s${(await storeOf(large)).tables}$`)))).toBeGreaterThan(0);
    expect((await rowsOf('^pool_'))[0]).toBeGreaterThan(0);
    const leaving = new AbortController();
    let reads = 0;
    const reading = (async () => {
      while (!leaving.signal.aborted) {
        await expectSame(owner);
        reads += 1;
      }
    })();
    const draining = cluster<MovedStores>('drain 1 --wait 300');
    for (let at = 0; at < 4; at += 1)
      await send(owner, large, lines(600, 20_000 + at * 600), { mode: 'append' });
    const report = await draining;
    leaving.abort();
    await reading;
    expect(reads).toBeGreaterThan(0);
    expect(report).toMatchObject({ left: [], exitCode: 0 });
    expect(report.moved).toBeGreaterThan(0);
    await expectSame(owner);
    expect(await verified()).toEqual([]);
    const { tables } = await storeOf(large);
    expect((await rowsOf(`^s${tables}$`)).map((rows) => rows > 0)).toEqual([false, true, true]);
  });

  it('gets no further rows there, and what it left goes with the sweep', async () => {
    await send(owner, large, lines(2_000, 30_000), { mode: 'append' });
    await send(owner, large, lines(10, 40_000), { mode: 'replace' });
    await send(owner, large, lines(2_500, 40_000), { mode: 'replace' });
    await sweepLeft();
    expect((await rowsOf('^(s[0-9]|y[0-9]|u[0-9]|a[0-9]|pool_)'))[0]).toBe(0);
    expect(await rowsOf('^y[0-9]')).toEqual([0, 0, 0]);
    await expectSame(owner);
    expect(await verified()).toEqual([]);
    expect((await cluster<ClusterView>('show')).shards[0]).toMatchObject({ state: 'draining', rows: 0 });
  });

  it('comes back to a shard with its next rows', async () => {
    await cluster('fill 1');
    await send(owner, large, lines(2_500, 50_000), { mode: 'replace' });
    expect((await rowsOf(`^s${(await storeOf(large)).tables}$`))[0]).toBeGreaterThan(0);
    await expectSame(owner);
  });

  it('leaves nothing while another shard is away', async () => {
    const clickhouseNodeUrls = world
      .urls()
      .map((url, at) => (at === 1 ? url.replace(/:\d+(\/?)$/, ':1$1') : url));
    const scope = createScope(silentLog);
    const config = { ...product.config, clickhouseNodeUrls } as Config;
    const operations = await openCluster({ config, log: silentLog, scope, sql: product.sql });
    const stop = new AbortController().signal;
    await expect(operations.drain(3, { dryRun: false, waitMs: 0 }, stop)).rejects.toMatchObject({
      code: 'shard_away',
    });
    await scope.close();
    await expectSame(owner);
  });

  it('is whole when a command that was killed is run again over what it left', async () => {
    const scope = createScope(silentLog);
    const stop = new AbortController();
    const line = new Writable({
      write(bytes, _encoding, done) {
        if (String(bytes).includes('rows of a spread store copied')) stop.abort();
        done();
      },
    });
    const parts = { config: product.config, log: pino(line), scope, sql: product.sql };
    await expect(
      (await openCluster(parts)).drain(3, { dryRun: false, waitMs: 60_000 }, stop.signal),
    ).rejects.toThrow();
    await scope.close();
    const { next, tables } = await storeOf(large);
    const database = product.config.clickhouseDatabase;
    expect((await rowsOf(`^y${next}$`))[2]).toBe(0);
    expect(Math.max(...(await rowsOf(`^y${next}$`)))).toBeGreaterThan(0);
    await expectSame(owner);
    // As if it had died in the middle of a statement, and later, between two links.
    for (const shard of [1, 2])
      await on(
        shard,
        `DELETE FROM ${database}.y${next} WHERE _row % 7 = 0 SETTINGS lightweight_deletes_sync = 1`,
      );
    const segment = await on(3, `SELECT max(_seg) FROM ${database}.s${tables}`);
    await on(2, `INSERT INTO ${database}.y${next} (_seg, _row) VALUES (${segment}, 1000000)`);
    await on(1, `ALTER TABLE ${database}.s${next} ATTACH PARTITION ALL FROM ${database}.s${tables}`);
    await on(3, `ALTER TABLE ${database}.s${next} ATTACH PARTITION ALL FROM ${database}.s${tables}`);
    expect((await cluster<MovedStores>('drain 3 --dry-run')).planned).toBeGreaterThan(0);
    expect(await cluster<MovedStores>('drain 3')).toMatchObject({ left: [], exitCode: 0 });
    expect((await storeOf(large)).tables).toBe(next);
    await expectSame(owner);
    expect(await verified()).toEqual([]);
    expect(await cluster<MovedStores>('drain 3')).toMatchObject({ planned: 0, left: [], exitCode: 0 });
    await sweepLeft();
    expect((await rowsOf('^(s[0-9]|y[0-9]|pool_)'))[2]).toBe(0);
  });

  it('is read and written when the shard has been taken out of the cluster', async () => {
    await product.stopWorker();
    await world.nodes.close();
    const { access } = await startEmbedded({
      dataDir: world.dataDir,
      need: onlyClickhouse,
      clickhouseNodes: 2,
      log: silentLog,
      scope: fewerNodes,
    });
    const scope = createScope(silentLog);
    const told: string[] = [];
    const line = new Writable({
      write(bytes, _encoding, done) {
        told.push(String(bytes));
        done();
      },
    });
    const { clickhouseUrl, clickhouseNodeUrls } = access;
    const config = {
      ...product.config,
      clickhouseUrl,
      clickhouseNodeUrls: clickhouseNodeUrls?.split(','),
    } as Config;
    const { port } = await createApiProcess(config, pino({ level: 'error' }, line), scope);
    await createWorkerProcess(config, pino({ level: 'error' }, line), scope);
    const client = { ...owner, baseUrl: `http://127.0.0.1:${port}/api` };
    await expectSame(client);
    await send(client, large, lines(2_000, 70_000), { mode: 'append' });
    await expectSame(client);
    expect(told.join()).not.toContain('not configured');
    await scope.close();
  });
});
