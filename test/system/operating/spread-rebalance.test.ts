/** A dataset that is spread gets rows onto a server that is new, while it is read and written. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCluster } from '../../../src/compose/cluster.js';
import { createScope } from '../../../src/lib/scope.js';
import type { MovedStores } from '../../../src/operations/cluster.js';
import { markDraining } from '../../../src/rows/draining-shards.js';
import { type Client, call, createDataset } from '../../support/datasets.js';
import { createSpreadWorld, lines } from './spread-world.js';

const world = createSpreadWorld();
const { send, expectSame, cluster, on, rowsOf, storeOf, sweepLeft, verified } = world;

let owner: Client;
/** Of one segment that is cut, and several that move as they are. */
let large = 0;
/** Of rows that leave their shard all together or not at all. */
let small = 0;

const ownRows = async (dataset: number): Promise<number[]> => rowsOf(`^s${(await storeOf(dataset)).tables}$`);

beforeAll(async () => {
  owner = await world.start({
    firstChunkBytes: '65536',
    chunkBytes: '262144',
    poolMaxRows: '40',
    spreadMinBytes: '40000',
    compactionMinSegments: '0',
    // Those of the tests alone.
    sweepIntervalMs: '86400000',
  });
  large = await createDataset(owner);
  await send(owner, large, lines(400_000, 0), { mode: 'replace' });
  for (let at = 0; at < 6; at += 1)
    await send(owner, large, lines(20_000, 500_000 + at * 20_000), { mode: 'append' });
  await send(owner, large, lines(1_200, 3_000), { mode: 'upsert', key: 'station' });
  small = await createDataset(owner);
  await send(owner, small, lines(3_000, 0), { mode: 'replace' });
});

afterAll(() => world.close());

describe('a shard that is as good as new', () => {
  it('has no rows of what was spread before it came', async () => {
    expect(await cluster<MovedStores>('drain 3 --wait 300')).toMatchObject({ left: [], exitCode: 0 });
    await cluster('fill 3');
    await sweepLeft();
    expect((await ownRows(large))[2]).toBe(0);
  });

  it('gets the tables of what is spread from a worker that starts', async () => {
    const { clickhouseDatabase: database } = world.product().config;
    const table = `${database}.s${(await storeOf(large)).tables}`;
    await on(3, `DROP TABLE ${table} SYNC`);
    expect((await call(owner, 'GET', `/datasets/${large}/data?$skip=0`)).status).toBe(503);
    await world.product().stopWorker();
    await world.product().startWorker();
    expect(await on(3, `EXISTS TABLE ${table}`)).toBe('1');
    await expectSame(owner);
  });

  it('gets its part of them while they are read and written', async () => {
    expect((await cluster<MovedStores>('rebalance --dry-run')).planned).toBeGreaterThan(0);
    const leaving = new AbortController();
    let reads = 0;
    const reading = (async () => {
      while (!leaving.signal.aborted) {
        await expectSame(owner);
        reads += 1;
      }
    })();
    const moving = cluster<MovedStores>('rebalance --wait 300');
    for (let at = 0; at < 3; at += 1)
      await send(owner, large, lines(2_000, 900_000 + at * 2_000), { mode: 'append' });
    const report = await moving;
    leaving.abort();
    await reading;
    expect(reads).toBeGreaterThan(0);
    expect(report).toMatchObject({ left: [], exitCode: 0 });
    expect(report.rows).toBeGreaterThan(0);
    const after = await ownRows(large);
    const all = after.reduce((sum, rows) => sum + rows, 0);
    // By turns of 65,536 rows: about a third.
    expect((after[2] ?? 0) / all).toBeGreaterThan(0.15);
    expect((after[2] ?? 0) / all).toBeLessThan(0.55);
    // A part that left in part: some of its rows are on each shard.
    const { tables } = await storeOf(large);
    const table = `${world.product().config.clickhouseDatabase}.s${tables}`;
    const segment = await on(1, `SELECT min(_seg) FROM ${table}`);
    const first = await Promise.all(
      [1, 2, 3].map((shard) => on(shard, `SELECT count() > 0 FROM ${table} WHERE _seg = ${segment}`)),
    );
    expect(first).toEqual(['1', '1', '1']);
    await expectSame(owner);
    expect(await verified()).toEqual([]);
  });

  it('gets none twice, and what was left behind goes with the sweep', async () => {
    await sweepLeft();
    const rows = await ownRows(large);
    expect(await rowsOf('^y[0-9]')).toEqual([0, 0, 0]);
    const moved = await cluster<MovedStores>('rebalance --dry-run');
    expect(moved).toMatchObject({ planned: 0, exitCode: 0 });
    await cluster<MovedStores>('rebalance');
    expect(await ownRows(large)).toEqual(rows);
    await expectSame(owner);
  });
});

describe('a move to it that was killed', () => {
  it('goes on where it was, and not where another one was', async () => {
    await cluster('drain 2 --wait 300');
    await cluster('fill 2');
    await sweepLeft();
    const killed = async (run: 'drain' | 'rebalance'): Promise<void> => {
      const scope = createScope(pino({ level: 'silent' }));
      const stop = new AbortController();
      const line = new Writable({
        write(bytes, _encoding, done) {
          if (String(bytes).includes('rows of a spread store copied')) stop.abort();
          done();
        },
      });
      const product = world.product();
      const operations = await openCluster({
        config: product.config,
        log: pino(line),
        scope,
        sql: product.sql,
      });
      const options = { dryRun: false, waitMs: 60_000 };
      await expect(
        run === 'drain'
          ? operations.drain(1, options, stop.signal)
          : operations.rebalance(options, stop.signal),
      ).rejects.toThrow();
      await scope.close();
    };

    // What this one has begun is wanted nowhere by the next.
    await killed('drain');
    const { next } = await storeOf(large);
    expect(Math.max(...(await rowsOf(`^y${next}$`)))).toBeGreaterThan(0);
    await markDraining(world.product().sql, 1, false);
    await killed('rebalance');
    expect((await storeOf(large)).next).toBe(next);
    const [first, second, third] = await rowsOf(`^y${next}$`);
    expect({ first, third }).toEqual({ first: 0, third: 0 });
    expect(second).toBeGreaterThan(0);

    // As if it had died in the middle of a statement, and later, between two links.
    const { clickhouseDatabase: database } = world.product().config;
    const { tables } = await storeOf(large);
    await on(2, `DELETE FROM ${database}.y${next} WHERE _row % 7 = 0 SETTINGS lightweight_deletes_sync = 1`);
    await on(1, `ALTER TABLE ${database}.s${next} ATTACH PARTITION ALL FROM ${database}.s${tables}`);
    await on(2, `ALTER TABLE ${database}.s${next} ATTACH PARTITION ALL FROM ${database}.y${next}`);
    expect(await cluster<MovedStores>('rebalance --wait 300')).toMatchObject({ left: [], exitCode: 0 });
    expect((await storeOf(large)).tables).toBe(next);
    expect((await ownRows(large))[1]).toBeGreaterThan(0);
    await expectSame(owner);
    expect(await verified()).toEqual([]);
  });

  it('leaves what is whole: uploads, versions and the other dataset', async () => {
    await send(owner, large, lines(30_000, 990_000), { mode: 'append' });
    await send(owner, small, lines(3_000, 7_000), { mode: 'append' });
    await expectSame(owner);
    expect(await verified()).toEqual([]);
  });
});
