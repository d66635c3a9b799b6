import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './support/bench.js';
import { createDataset } from './support/client.js';
import type { Figure } from './support/figure.js';
import { measure, perOperation } from './support/process-stats.js';
import type { RunningProduct } from './support/product.js';
import { inTurn, queryClickHouse } from './support/requests.js';
import { createSender } from './support/sender.js';
import { shortFile } from './support/short-upload.js';
import { percentile } from './support/statistics.js';

interface Load {
  readonly datasets: readonly number[];
  readonly mode: 'replace' | 'append';
  /** Concurrent clients, each sending one upload after another. */
  readonly clients: number;
  readonly uploads: number;
  /** Uploads started per second; absent: as fast as the clients can. */
  readonly perSecond?: number;
}

interface ProcessAnswer {
  readonly id: number;
  readonly status: string;
  readonly createdAt: string;
  readonly completedAt: string | null;
}

const lastProcesses = async (product: RunningProduct, dataset: number, before?: number) => {
  const url = `${product.baseUrl}/datasets/${dataset}/processes?$top=100${before === undefined ? '' : `&before=${before}`}`;
  const answer = await fetch(url, { headers: { authorization: product.authorization } });
  if (!answer.ok) throw new Error(`the list of processes answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as ProcessAnswer[];
};

const untilIdle = async (product: RunningProduct, datasets: readonly number[]): Promise<void> => {
  for (const dataset of datasets) {
    for (;;) {
      const [last] = await lastProcesses(product, dataset);
      if (last === undefined || last.status !== 'pending') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};

/** Milliseconds from acceptance to the published version, for every upload. */
const visibleAfter = async (
  product: RunningProduct,
  datasets: readonly number[],
  sent: ReadonlySet<number>,
): Promise<number[]> => {
  const times: number[] = [];
  for (const dataset of datasets) {
    let before: number | undefined;
    for (;;) {
      const page = await lastProcesses(product, dataset, before);
      for (const { id, status, createdAt, completedAt } of page) {
        if (!sent.has(id)) continue;
        if (status !== 'completed' || completedAt === null) throw new Error(`process ${id} is ${status}`);
        times.push(Date.parse(completedAt) - Date.parse(createdAt));
      }
      before = page.at(-1)?.id;
      if (page.length < 100) break;
    }
  }
  if (times.length !== sent.size) throw new Error(`found ${times.length} of ${sent.size} processes`);
  return times;
};

const run = async (product: RunningProduct, { datasets, mode, clients, uploads, perSecond }: Load) => {
  const sender = createSender(product, shortFile, clients);
  const sent = new Set<number>();
  let started = 0;
  const startedAt = performance.now();
  const client = async (): Promise<void> => {
    while (started < uploads) {
      const at = started++;
      if (perSecond !== undefined)
        await sleep(Math.max(0, startedAt + (at * 1000) / perSecond - performance.now()));
      sent.add(await sender.put(datasets[at % datasets.length] ?? 0, mode));
    }
  };
  const { seconds, usage } = await measure(product, async () => {
    await Promise.all(Array.from({ length: clients }, client));
    await untilIdle(product, datasets);
  });
  sender.close();
  return { seconds, usage, times: await visibleAfter(product, datasets, sent) };
};

/** Inserts of the same rows per second, directly into ClickHouse over as many connections; each insert makes a part. */
const insertsAlone = async ({ clickhouseUrl }: RunningProduct, count: number, clients: number) => {
  await queryClickHouse(
    clickhouseUrl,
    'CREATE OR REPLACE TABLE default.rate (date Nullable(Date32), region Nullable(String), value Nullable(Float64)) ENGINE = MergeTree ORDER BY tuple()',
  );
  let started = 0;
  const startedAt = performance.now();
  const one = async (): Promise<void> => {
    while (started++ < count)
      await queryClickHouse(clickhouseUrl, `INSERT INTO default.rate FORMAT CSVWithNames\n${shortFile}`);
  };
  await Promise.all(Array.from({ length: clients }, one));
  const rate = count / ((performance.now() - startedAt) / 1000);
  await queryClickHouse(clickhouseUrl, 'DROP TABLE default.rate SYNC');
  return rate;
};

const figuresOf = async (
  product: RunningProduct,
  name: string,
  load: Load,
  goals: { readonly perSecond?: number },
): Promise<Figure[]> => {
  const yardstick = await insertsAlone(product, 200, load.clients);
  const { seconds, usage, times } = await run(product, load);
  return [
    {
      name: `${name}, completed`,
      value: load.uploads / seconds,
      unit: 'uploads/s',
      ...(goals.perSecond === undefined ? { better: 'higher' } : { goal: { atLeast: goals.perSecond } }),
      yardstick: { name: 'inserts alone', value: yardstick, unit: 'inserts/s' },
    },
    { name: `${name}, time until visible, p50`, value: percentile(times, 0.5), unit: 'ms', better: 'lower' },
    {
      name: `${name}, time until visible, p95`,
      value: percentile(times, 0.95),
      unit: 'ms',
      goal: { atMost: 1000 },
    },
    ...['api', 'worker', 'kafka', 'clickhouse'].map((process) =>
      perOperation(`${name}, CPU of ${process} per upload`, usage, process, load.uploads),
    ),
  ];
};

/** Uploads of 1,000 rows from concurrent clients: to many datasets, to one, and appended. */
export const uploadRate: Bench = async ({ pick, say, report, product: open }) => {
  const product = await open();
  const datasets = await inTurn(100, (turn) => createDataset(product, `rate ${turn} ${Date.now()}`));
  const [one = 0, appended = 0] = await inTurn(2, (turn) =>
    createDataset(product, `one ${turn} ${Date.now()}`),
  );
  const clients = 16;
  const into = { clients, mode: 'replace' as const };
  await run(product, { ...into, datasets, uploads: 200 });
  say('to 100 datasets');
  report(
    await figuresOf(
      product,
      '1,000 rows to 100 datasets',
      { ...into, datasets, uploads: pick(6_000, 600) },
      { perSecond: 200 },
    ),
  );
  say('to one dataset');
  report(
    await figuresOf(
      product,
      '1,000 rows to one dataset',
      { ...into, datasets: [one], uploads: pick(2_000, 200) },
      { perSecond: 50 },
    ),
  );
  say('appends');
  report(
    await figuresOf(
      product,
      '1,000 rows appended to 100 datasets',
      { ...into, mode: 'append', datasets, uploads: pick(3_000, 400) },
      {},
    ),
  );
  return figuresOf(
    product,
    '1,000 rows appended to one dataset, 50 per second',
    { ...into, mode: 'append', datasets: [appended], uploads: pick(2_000, 80), perSecond: 50 },
    {},
  );
};
