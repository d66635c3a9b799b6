import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './support/bench.js';
import { createDataset, uploadAndWait } from './support/client.js';
import type { Figure } from './support/figure.js';
import {
  type Measured,
  measure,
  perOperation,
  type Usage,
  untilQuiet,
  usageFigures,
} from './support/process-stats.js';
import type { RunningProduct } from './support/product.js';
import { inTurn, queryClickHouse } from './support/requests.js';
import { shortContent, shortFile, timeShortUpload } from './support/short-upload.js';
import { median, percentile } from './support/statistics.js';
import { tableStream } from './support/table-stream.js';

/** Median milliseconds to insert the same 1,000 rows directly into ClickHouse. */
const insertDirectly = async ({ clickhouseUrl }: RunningProduct, turns: number): Promise<number> => {
  await queryClickHouse(clickhouseUrl, 'DROP TABLE IF EXISTS default.short SYNC');
  await queryClickHouse(
    clickhouseUrl,
    'CREATE TABLE default.short (date Nullable(Date32), region Nullable(String), value Nullable(Float64)) ENGINE = MergeTree ORDER BY tuple()',
  );
  const times = await inTurn(turns, async () => {
    const startedAt = performance.now();
    await queryClickHouse(clickhouseUrl, `INSERT INTO default.short FORMAT CSVWithNames\n${shortFile}`);
    return performance.now() - startedAt;
  });
  await queryClickHouse(clickhouseUrl, 'DROP TABLE default.short SYNC');
  return median(times);
};

const idleFigures = async (product: RunningProduct, turns: number): Promise<Figure[]> => {
  const direct = await insertDirectly(product, turns);
  const datasetId = await createDataset(product, `short, idle ${Date.now()}`);
  const { value: times, usage } = await measure(product, () =>
    inTurn(turns, () => timeShortUpload(product, datasetId)),
  );
  const yardstick = { name: 'direct insert, p50', value: direct, unit: 'ms' };
  return [
    { name: '1,000 rows, idle, p50', value: median(times), unit: 'ms', goal: { atMost: 25 }, yardstick },
    { name: '1,000 rows, idle, p95', value: percentile(times, 0.95), unit: 'ms', goal: { atMost: 60 } },
    ...['api', 'worker', 'kafka', 'clickhouse'].map((name) =>
      perOperation(`1,000 rows, idle, CPU of ${name}`, usage, name, turns),
    ),
  ];
};

/** Milliseconds between short uploads during a bulk upload: an occasional client, not a second load. */
const pauseMs = 200;

const duringBulkFigures = async (
  product: RunningProduct,
  bulkBytes: number,
  say: (text: string) => void,
): Promise<Figure[]> => {
  const bulk = tableStream(bulkBytes);
  const bulkId = await createDataset(product, `bulk ${Date.now()}`);
  const shortId = await createDataset(product, `short, during bulk ${Date.now()}`);
  const startedAt = performance.now();
  const times: number[] = [];
  let ended = false;
  const uploadShort = async (): Promise<void> => {
    // Skips the start of the bulk upload.
    await sleep(1_000);
    while (!ended) {
      times.push(await timeShortUpload(product, shortId));
      if (times.length % 200 === 0)
        say(`${times.length} short uploads, p95 ${percentile(times, 0.95).toFixed(0)} ms`);
      await sleep(pauseMs);
    }
  };
  const uploadBulk = async (): Promise<number> => {
    try {
      const { rows } = await uploadAndWait(product, bulkId, bulk.content);
      if (rows !== bulk.rows) throw new Error(`the bulk upload stored ${rows} rows`);
      return (performance.now() - startedAt) / 1000;
    } finally {
      ended = true;
    }
  };
  const [seconds] = await Promise.all([uploadBulk(), uploadShort()]);
  const size = bulkBytes >= 1e9 ? `${bulkBytes / 1e9} GB` : `${bulkBytes / 1e6} MB`;
  return [
    { name: `1,000 rows, during a ${size} upload, p50`, value: median(times), unit: 'ms', better: 'lower' },
    {
      name: `1,000 rows, during a ${size} upload, p95`,
      value: percentile(times, 0.95),
      unit: 'ms',
      goal: { atMost: 500 },
    },
    { name: `short uploads during a ${size} upload`, value: times.length, unit: 'uploads' },
    { name: `${size} upload meanwhile`, value: bulk.bytes / 1e6 / seconds, unit: 'MB/s', better: 'higher' },
  ];
};

/** Slow polling: hundreds of clients polling at the usual rate would be a load of their own. */
const burstPollMs = 500;

/** Uploads to `count` new datasets at once; the value is the number of complete uploads. */
const burst = async (product: RunningProduct, count: number): Promise<Measured<number>> => {
  const ids = await inTurn(count, (turn) => createDataset(product, `at once ${turn} ${Date.now()}`));
  await untilQuiet(product);
  return measure(product, async () => {
    const complete = await Promise.all(
      ids.map(async (id) => {
        const { rows } = await uploadAndWait(product, id, shortContent(), { pollMs: burstPollMs });
        return rows === 1000;
      }),
    );
    return complete.filter((isComplete) => isComplete).length;
  });
};

/** Medians of several bursts, since single bursts differ by a third. */
const atOnceFigures = async (product: RunningProduct, count: number, turns: number): Promise<Figure[]> => {
  const bursts = await inTurn(turns, () => burst(product, count));
  const medianOf = (of: (one: Measured<number>) => number): number => median(bursts.map(of));
  const medians = (key: keyof Usage): Record<string, number> =>
    Object.fromEntries(
      Object.keys(bursts[0]?.usage[key] ?? {}).map((name) => [
        name,
        medianOf(({ usage }) => usage[key][name] ?? Number.NaN),
      ]),
    );
  return [
    {
      name: `${count} at once, complete`,
      value: Math.min(...bursts.map(({ value }) => value)),
      unit: 'uploads',
      goal: { atLeast: count },
    },
    { name: `${count} at once`, value: medianOf(({ seconds }) => seconds), unit: 's', better: 'lower' },
    ...usageFigures(`${count} at once`, {
      cpuSeconds: medians('cpuSeconds'),
      peakMemoryMb: medians('peakMemoryMb'),
    }),
  ];
};

/** Uploads of 1,000 rows: alone, during a bulk upload, and many at once. */
export const shortUploads: Bench = async ({ pick, say, report, product: open }) => {
  const product = await open();
  report(await idleFigures(product, pick(300, 50)));
  say('during a bulk upload');
  report(await duringBulkFigures(product, pick(10e9, 300e6), say));
  say('at once');
  return atOnceFigures(product, 200, pick(9, 3));
};
