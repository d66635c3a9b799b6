import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './support/bench.js';
import { createDataset } from './support/client.js';
import type { RunningProduct } from './support/product.js';
import { askClickHouse, inTurn } from './support/requests.js';
import { timeShortUpload } from './support/short-upload.js';
import { median, percentile } from './support/statistics.js';

/** Uploads at a time while the datasets are made. */
const hands = 4;
/** Datasets at which an upload is timed first. */
const few = 10;
/** Uploads that are timed. */
const timed = 50;
const rowsOfOne = 1_000;

const number = async ({ clickhouseUrl }: RunningProduct, sql: string): Promise<number> =>
  Number(await askClickHouse(clickhouseUrl, sql));

/** Megabytes that ClickHouse counts as its own, once merges have ended. */
const memoryAtRest = async (product: RunningProduct): Promise<number> => {
  for (let turn = 0; turn < 120; turn += 1) {
    if ((await number(product, 'SELECT count() FROM system.merges')) === 0) break;
    await sleep(500);
  }
  return (await number(product, `SELECT value FROM system.metrics WHERE metric = 'MemoryTracking'`)) / 1e6;
};

const makeDatasets = async (product: RunningProduct, count: number): Promise<number[]> => {
  const ids: number[] = [];
  const one = async (): Promise<void> => {
    while (ids.length < count) {
      const at = ids.push(0) - 1;
      const id = await createDataset(product, `many ${at} ${Date.now()}`);
      ids[at] = id;
      await timeShortUpload(product, id);
    }
  };
  await Promise.all(Array.from({ length: hands }, one));
  return ids;
};

const timeUploads = async (product: RunningProduct, ids: readonly number[]): Promise<number[]> =>
  inTurn(timed, (turn) => timeShortUpload(product, ids[(turn * 7919) % ids.length] ?? 0));

/** Seconds until ClickHouse answers a query again after it was killed; it is started again by itself. */
const timeRestart = async (product: RunningProduct): Promise<number> => {
  const pid = product.pids().clickhouse;
  if (pid === undefined) throw new Error('ClickHouse has no process of its own');
  process.kill(pid, 'SIGKILL');
  const startedAt = performance.now();
  for (;;) {
    const answers = await number(product, 'SELECT 1').then(
      (one) => one === 1,
      () => false,
    );
    if (answers) return (performance.now() - startedAt) / 1000;
    await sleep(100);
  }
};

const pools = `database = 'tabulary' AND startsWith(table, 'pool_') AND active`;

const rowsOnDisk = (product: RunningProduct): Promise<number> =>
  number(product, `SELECT sum(rows) FROM system.parts WHERE ${pools}`);

/** Deletes datasets; seconds until their rows are gone from the disk. */
const timeRemoval = async (product: RunningProduct, ids: readonly number[]): Promise<number> => {
  const { baseUrl, authorization } = product;
  const most = (await rowsOnDisk(product)) - ids.length * rowsOfOne;
  const startedAt = performance.now();
  for (const id of ids) {
    const answer = await fetch(`${baseUrl}/datasets/${id}`, { method: 'DELETE', headers: { authorization } });
    if (!answer.ok) throw new Error(`a dataset was not deleted: ${await answer.text()}`);
  }
  while ((await rowsOnDisk(product)) > most) await sleep(500);
  return (performance.now() - startedAt) / 1000;
};

/** Many small datasets: what they cost at rest, and what everything else costs beside them. */
export const many: Bench = async ({ pick, say, report, product: open }) => {
  const count = pick(10_000, 200);
  const product = await open({
    segmentGraceMs: '0',
    storageSweepIntervalMs: '10000',
    poolDropIntervalMs: '10000',
  });
  const empty = await memoryAtRest(product);
  const first = await makeDatasets(product, few);
  const early = await timeUploads(product, first);
  const startedAt = performance.now();
  const ids = [...first, ...(await makeDatasets(product, count - few))];
  const seconds = (performance.now() - startedAt) / 1000;
  say(`${count} datasets`);
  const late = await timeUploads(product, ids);
  const tables = await number(product, `SELECT count() FROM system.tables WHERE database = 'tabulary'`);
  const parts = await number(product, `SELECT count() FROM system.parts WHERE ${pools}`);
  report([
    { name: 'datasets', value: count, unit: 'datasets' },
    { name: 'made', value: (count - few) / seconds, unit: '/s', better: 'higher' },
    { name: 'tables in ClickHouse', value: tables, unit: 'tables', better: 'lower' },
    { name: 'parts of pools', value: parts, unit: 'parts', better: 'lower' },
    {
      name: 'memory of ClickHouse at rest over an empty one',
      value: (await memoryAtRest(product)) - empty,
      unit: 'MB',
      goal: { atMost: 1_000 },
    },
    { name: `upload, p50 at ${few}`, value: median(early), unit: 'ms', better: 'lower' },
    { name: `upload, p95 at ${few}`, value: percentile(early, 0.95), unit: 'ms', better: 'lower' },
    { name: 'upload, p50 at all', value: median(late), unit: 'ms', better: 'lower' },
    {
      name: `upload, p50 at all over p50 at ${few}`,
      value: median(late) / median(early),
      unit: '×',
      goal: { atMost: 1.3 },
      yardstick: { name: `p50 at ${few}`, value: median(early), unit: 'ms' },
    },
  ]);
  say('ClickHouse killed');
  const restart = await timeRestart(product);
  const gone = ids.slice(0, Math.floor(count / 10));
  say(`${gone.length} datasets deleted`);
  return [
    { name: 'restart of ClickHouse, until it answers', value: restart, unit: 's', goal: { atMost: 30 } },
    {
      name: 'removal of a tenth, until the bytes are gone',
      value: await timeRemoval(product, gone),
      unit: 's',
      goal: { atMost: 600 },
    },
  ];
};
