import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './support/bench.js';
import { createDataset } from './support/client.js';
import { fillMetadata } from './support/metadata.js';
import type { RunningProduct } from './support/product.js';
import { inTurn, queryClickHouse } from './support/requests.js';
import { timeShortUpload } from './support/short-upload.js';
import { timeStart } from './support/standalone.js';
import { median, percentile } from './support/statistics.js';

/** Number of datasets when uploads are first timed. */
const few = 10;
/** Number of timed uploads. */
const timed = 50;
const rowsOfOne = 1_000;
/** Milliseconds between uploads during a removal. */
const pauseMs = 200;

const number = async ({ clickhouseUrl }: RunningProduct, sql: string): Promise<number> =>
  Number(await queryClickHouse(clickhouseUrl, sql));

/** Megabytes tracked by ClickHouse once no merge is running. */
const memoryAtRest = async (product: RunningProduct): Promise<number> => {
  for (let turn = 0; turn < 120; turn += 1) {
    if ((await number(product, 'SELECT count() FROM system.merges')) === 0) break;
    await sleep(500);
  }
  return (await number(product, `SELECT value FROM system.metrics WHERE metric = 'MemoryTracking'`)) / 1e6;
};

const timeUploads = async (product: RunningProduct, ids: readonly number[]): Promise<number[]> =>
  inTurn(timed, (turn) => timeShortUpload(product, ids[(turn * 7919) % ids.length] ?? 0));

/** Kills ClickHouse, which the product restarts; seconds until it answers a query again. */
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

interface Removal {
  /** Seconds until the rows are gone from disk. */
  readonly seconds: number;
  /** Milliseconds of each concurrent upload to another dataset. */
  readonly uploads: readonly number[];
}

/** Deletes datasets in sequence, with occasional uploads to others meanwhile. */
const remove = async (
  product: RunningProduct,
  ids: readonly number[],
  others: readonly number[],
): Promise<Removal> => {
  const { baseUrl, authorization } = product;
  const most = (await rowsOnDisk(product)) - ids.length * rowsOfOne;
  const startedAt = performance.now();
  let gone = false;
  const uploads: number[] = [];
  const uploading = async (): Promise<void> => {
    for (let turn = 0; !gone; turn += 1) {
      uploads.push(await timeShortUpload(product, others[(turn * 7919) % others.length] ?? 0));
      await sleep(pauseMs);
    }
  };
  const removing = async (): Promise<number> => {
    try {
      for (const id of ids) {
        const answer = await fetch(`${baseUrl}/datasets/${id}`, {
          method: 'DELETE',
          headers: { authorization },
        });
        if (!answer.ok) throw new Error(`a dataset was not deleted: ${await answer.text()}`);
      }
      // Allows for the rows of uploads made meanwhile.
      while ((await rowsOnDisk(product)) > most + uploads.length * rowsOfOne) await sleep(500);
      return (performance.now() - startedAt) / 1000;
    } finally {
      gone = true;
    }
  };
  const [seconds] = await Promise.all([removing(), uploading()]);
  return { seconds, uploads };
};

/** Many small datasets: their memory at rest, and their effect on uploads, restarts and removals. */
export const many: Bench = async ({ pick, say, report, product: open }) => {
  const count = pick(100_000, 200);
  const product = await open({
    segmentGraceMs: '0',
    // This sweep frees removed rows; the default of an hour would be too long for a bench.
    storageSweepIntervalMs: pick('60000', '10000'),
    poolDropIntervalMs: '10000',
  });
  const empty = await memoryAtRest(product);
  const first = await inTurn(few, (turn) => createDataset(product, `few ${turn} ${Date.now()}`));
  await timeUploads(product, first);
  const early = await timeUploads(product, first);
  const shape = { accounts: 1, teams: 1, versionsPerDataset: 1, segmentsPerVersion: 1 };
  const { own } = await fillMetadata(
    product,
    { ...shape, datasets: count, ownDatasets: count, rowsPerSegment: rowsOfOne },
    say,
  );
  const atRest = (await memoryAtRest(product)) - empty;
  await timeUploads(product, own.slice(0, Math.floor(count / 2)));
  const late = await timeUploads(product, own.slice(Math.floor(count / 2)));
  const tables = await number(product, `SELECT count() FROM system.tables WHERE database = 'tabulary'`);
  const parts = await number(product, `SELECT count() FROM system.parts WHERE ${pools}`);
  report([
    { name: 'datasets', value: count, unit: 'datasets' },
    { name: 'tables in ClickHouse', value: tables, unit: 'tables', better: 'lower' },
    { name: 'parts of pools', value: parts, unit: 'parts', better: 'lower' },
    {
      name: 'memory of ClickHouse at rest over an empty server',
      value: atRest,
      unit: 'MB',
      goal: { atMost: 1_000 },
    },
    { name: `upload, p50 at ${few} datasets`, value: median(early), unit: 'ms', better: 'lower' },
    { name: `upload, p95 at ${few} datasets`, value: percentile(early, 0.95), unit: 'ms', better: 'lower' },
    { name: 'upload, p50 at all datasets', value: median(late), unit: 'ms', better: 'lower' },
    {
      name: `upload, p50 at all datasets vs ${few}`,
      value: median(late) / median(early),
      unit: '×',
      goal: { atMost: 1.3 },
      yardstick: { name: `p50 at ${few}`, value: median(early), unit: 'ms' },
    },
  ]);
  say('ClickHouse killed');
  const restart = await timeRestart(product);
  await memoryAtRest(product);
  await timeUploads(product, own.slice(-few));
  const before = await inTurn(timed, async (turn) => {
    await sleep(pauseMs);
    return timeShortUpload(product, own.at(-1 - ((turn * 7919) % count)) ?? 0);
  });
  const gone = own.slice(0, Math.floor(count / 10));
  say(`deleting ${gone.length} datasets`);
  const { seconds, uploads } = await remove(product, gone, own.slice(gone.length));
  await product.halt();
  const start = await timeStart(product.dataDir);
  return [
    { name: 'start of the whole product until ready', value: start, unit: 's', goal: { atMost: 30 } },
    { name: 'restart of ClickHouse until it answers', value: restart, unit: 's', goal: { atMost: 30 } },
    {
      name: 'removal of a tenth until the rows are gone',
      value: seconds,
      unit: 's',
      goal: { atMost: 600 },
    },
    {
      name: 'upload during removal, p95 vs p95 before',
      value: percentile(uploads, 0.95) / percentile(before, 0.95),
      unit: '×',
      goal: { atMost: 2 },
      yardstick: { name: 'p95 before', value: percentile(before, 0.95), unit: 'ms' },
    },
  ];
};
