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
import { askClickHouse, inTurn } from './support/requests.js';
import { shortContent, shortFile, timeShortUpload } from './support/short-upload.js';
import { median, percentile } from './support/statistics.js';
import { tableStream } from './support/table-stream.js';

/** Milliseconds for the same 1,000 rows straight into ClickHouse, in the middle of some. */
const insertDirectly = async ({ clickhouseUrl }: RunningProduct, turns: number): Promise<number> => {
  await askClickHouse(clickhouseUrl, 'DROP TABLE IF EXISTS default.short SYNC');
  await askClickHouse(
    clickhouseUrl,
    'CREATE TABLE default.short (date Nullable(Date32), region Nullable(String), value Nullable(Float64)) ENGINE = MergeTree ORDER BY tuple()',
  );
  const times = await inTurn(turns, async () => {
    const startedAt = performance.now();
    await askClickHouse(clickhouseUrl, `INSERT INTO default.short FORMAT CSVWithNames\n${shortFile}`);
    return performance.now() - startedAt;
  });
  await askClickHouse(clickhouseUrl, 'DROP TABLE default.short SYNC');
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

/** Milliseconds between two short uploads during a long one: a caller now and then, not a second load. */
const pauseMs = 200;

const besideFigures = async (
  product: RunningProduct,
  bulkBytes: number,
  say: (text: string) => void,
): Promise<Figure[]> => {
  const bulk = tableStream(bulkBytes);
  const bulkId = await createDataset(product, `bulk ${Date.now()}`);
  const shortId = await createDataset(product, `short, beside ${Date.now()}`);
  const startedAt = performance.now();
  const times: number[] = [];
  let ended = false;
  const shortOnes = async (): Promise<void> => {
    // The first seconds are those of a bulk upload that has hardly begun.
    await sleep(1_000);
    while (!ended) {
      times.push(await timeShortUpload(product, shortId));
      if (times.length % 200 === 0)
        say(`${times.length} short uploads, p95 ${percentile(times, 0.95).toFixed(0)} ms`);
      await sleep(pauseMs);
    }
  };
  const longOne = async (): Promise<number> => {
    try {
      const { rows } = await uploadAndWait(product, bulkId, bulk.content);
      if (rows !== bulk.rows) throw new Error(`the bulk upload stored ${rows} rows`);
      return (performance.now() - startedAt) / 1000;
    } finally {
      ended = true;
    }
  };
  const [seconds] = await Promise.all([longOne(), shortOnes()]);
  const size = bulkBytes >= 1e9 ? `${bulkBytes / 1e9} GB` : `${bulkBytes / 1e6} MB`;
  return [
    { name: `1,000 rows, beside ${size}, p50`, value: median(times), unit: 'ms', better: 'lower' },
    {
      name: `1,000 rows, beside ${size}, p95`,
      value: percentile(times, 0.95),
      unit: 'ms',
      goal: { atMost: 500 },
    },
    { name: `short uploads beside ${size}`, value: times.length, unit: 'uploads' },
    { name: `${size} beside them`, value: bulk.bytes / 1e6 / seconds, unit: 'MB/s', better: 'higher' },
  ];
};

/** Looks rarely: hundreds of clients that look all the time would be the load. */
const patientPollMs = 500;

/** One upload to each of `count` new datasets, all at the same time. */
const burst = async (product: RunningProduct, count: number): Promise<Measured<number>> => {
  const ids = await inTurn(count, (turn) => createDataset(product, `at once ${turn} ${Date.now()}`));
  await untilQuiet(product);
  return measure(product, async () => {
    const whole = await Promise.all(
      ids.map(async (id) => {
        const { rows } = await uploadAndWait(product, id, shortContent(), { pollMs: patientPollMs });
        return rows === 1000;
      }),
    );
    return whole.filter((isWhole) => isWhole).length;
  });
};

/** Medians of several bursts: one alone takes a third longer or shorter than the next. */
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

/** Files of 1,000 rows: alone, during a long upload, and many at once. */
export const shortUploads: Bench = async ({ pick, say, report, product: open }) => {
  const product = await open();
  report(await idleFigures(product, pick(300, 50)));
  say('during a long upload');
  report(await besideFigures(product, pick(10e9, 300e6), say));
  say('at once');
  return atOnceFigures(product, 200, pick(9, 5));
};
