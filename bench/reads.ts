/**
 * Small reads of a 1,000-row table over 16 connections, compared with the same statements directly in ClickHouse on a
 * plain table, and the CPU time of each component.
 */
import { Agent } from 'node:http';
import { settings } from '../src/config.js';
import type { Bench } from './support/bench.js';
import { createDataset, uploadAndWait } from './support/client.js';
import type { Figure, Goal } from './support/figure.js';
import { cpuOfFamilies } from './support/process-stats.js';
import type { RunningProduct } from './support/product.js';
import { type Fetched, fetchAll, queryClickHouse } from './support/requests.js';
import { shortContent } from './support/short-upload.js';
import { median } from './support/statistics.js';

const connections = 16;

/** Enables the result cache with its default size. */
export const withResultCache = { resultCacheBytes: settings.resultCacheBytes.default ?? '' };

interface Load {
  readonly perSecond: number;
  readonly medianMs: number;
  /** CPU milliseconds per request, by component. */
  readonly cpuMs: Readonly<Record<string, number>>;
}

/** Sends `count` requests over all connections. */
const load = async (
  product: RunningProduct,
  count: number,
  send: (turn: number, agent: Agent) => Promise<Fetched>,
): Promise<Load> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let turn = 0;
  const times: number[] = [];
  const client = async (): Promise<void> => {
    while (turn < count) {
      turn += 1;
      const { status, totalMs } = await send(turn, agent);
      if (status !== 200) throw new Error(`a read answered ${status}`);
      times.push(totalMs);
    }
  };
  const before = cpuOfFamilies(product.pids());
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, client));
  const seconds = (performance.now() - startedAt) / 1000;
  const after = cpuOfFamilies(product.pids());
  agent.destroy();
  const cpuMs = Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, ((value - (before[name] ?? 0)) * 1000) / count]),
  );
  return { perSecond: count / seconds, medianMs: median(times), cpuMs };
};

interface Goals {
  readonly perSecond?: Goal;
  readonly cpuMs?: Goal;
}

/** Components involved in a read. */
const components = ['api', 'postgres', 'clickhouse'] as const;

const figuresOf = (name: string, measured: Load, goals: Goals = {}, plain?: Load): Figure[] => {
  const cpu = components.map((component) => measured.cpuMs[component] ?? Number.NaN);
  return [
    {
      name: `${name}, requests per second`,
      value: measured.perSecond,
      unit: '/s',
      ...(goals.perSecond === undefined ? { better: 'higher' as const } : { goal: goals.perSecond }),
    },
    { name: `${name}, p50 under load`, value: measured.medianMs, unit: 'ms', better: 'lower' },
    ...components.map(
      (component, at): Figure => ({
        name: `${name}, CPU of ${component}`,
        value: cpu[at] ?? Number.NaN,
        unit: 'ms',
        better: 'lower',
      }),
    ),
    {
      name: `${name}, total CPU`,
      value: cpu.reduce((sum, value) => sum + value, 0),
      unit: 'ms',
      ...(goals.cpuMs === undefined ? { better: 'lower' as const } : { goal: goals.cpuMs }),
    },
    ...(plain === undefined
      ? []
      : [
          {
            name: `${name}, requests per second vs plain table`,
            value: measured.perSecond / plain.perSecond,
            unit: '×',
            better: 'higher' as const,
            yardstick: { name: 'plain table', value: plain.perSecond, unit: '/s' },
          },
          {
            name: `${name}, CPU of ClickHouse vs plain table`,
            value: (measured.cpuMs.clickhouse ?? Number.NaN) / (plain.cpuMs.clickhouse ?? Number.NaN),
            unit: '×',
            better: 'lower' as const,
            yardstick: { name: 'plain table', value: plain.cpuMs.clickhouse ?? Number.NaN, unit: 'ms' },
          },
        ]),
  ];
};

/** Creates the reference table, with the rows as an analyst would store them. */
const makePlain = async (url: string): Promise<void> => {
  await queryClickHouse(url, 'DROP TABLE IF EXISTS bench_plain_reads');
  await queryClickHouse(
    url,
    'CREATE TABLE bench_plain_reads (n UInt32, date Date, region String, value Float64) ENGINE = MergeTree ORDER BY n',
  );
  await queryClickHouse(
    url,
    `INSERT INTO bench_plain_reads SELECT number, toDate('2020-01-01') + number % 28,
       concat('Region ', toString(number % 9)), number + 0.25 FROM numbers(1000)`,
  );
};

/** @param requests number of requests of each kind in a full run */
export const createReads =
  (requests: number): Bench =>
  async ({ pick, report, product: open, defer }) => {
    const product = await open(withResultCache);
    const { baseUrl, authorization, clickhouseUrl } = product;
    const dataset = await createDataset(product, `reads ${Date.now()}`);
    await uploadAndWait(product, dataset, shortContent());
    await makePlain(clickhouseUrl);
    await defer('the plain table', async () => {
      await queryClickHouse(clickhouseUrl, 'DROP TABLE bench_plain_reads');
    });
    const count = pick(requests, 100);
    const ask = (path: string) => (agent: Agent) =>
      fetchAll(`${baseUrl}/datasets/${dataset}${path}`, { headers: { authorization }, agent });
    const filter = (turn: number): string =>
      `/data?$format=json&$filter=${encodeURIComponent(`region eq 'Region 3' and value gt ${turn % 500}.${turn}`)}`;
    const plain = (sql: (turn: number) => string) =>
      load(product, count, (turn, agent) => fetchAll(clickhouseUrl, { body: sql(turn), agent }));
    const columns = 'SELECT date, region, value FROM bench_plain_reads';

    await load(product, count, (turn, agent) => ask(filter(turn + 5_000))(agent));
    const plainFilter = await plain(
      (turn) =>
        `${columns} WHERE region = 'Region 3' AND value > ${turn % 500}.${turn} ORDER BY n FORMAT JSONEachRow`,
    );
    const filtered = await load(product, count, (turn, agent) => ask(filter(turn))(agent));
    report(
      figuresOf('a filter', filtered, { perSecond: { atLeast: 450 }, cpuMs: { atMost: 4 } }, plainFilter),
    );

    const plainTop = await plain(
      (turn) => `${columns} ORDER BY n LIMIT 10 OFFSET ${turn % 900} FORMAT JSONEachRow`,
    );
    const top = await load(product, count, (turn, agent) =>
      ask(`/data?$format=json&$top=10&$skip=${turn % 900}`)(agent),
    );
    report(figuresOf('ten rows', top, {}, plainTop));

    const again = await load(product, count, (_, agent) => ask(filter(7))(agent));
    report(figuresOf('the same filter again', again, { perSecond: { atLeast: 1_500 } }, plainFilter));

    const one = new Agent({ keepAlive: true, maxSockets: 1 });
    const alone: number[] = [];
    for (let turn = 0; turn < pick(200, 10); turn += 1) alone.push((await ask(filter(7))(one)).totalMs);
    const first: number[] = [];
    for (let turn = 0; turn < pick(200, 10); turn += 1)
      first.push((await ask(`/data?$format=json&$top=1000&$filter=value%20gt%20-${turn}`)(one)).totalMs);
    one.destroy();
    report([
      { name: 'the same filter again, alone', value: median(alone), unit: 'ms', goal: { atMost: 3 } },
      { name: 'first 1,000 rows, alone', value: median(first), unit: 'ms', goal: { atMost: 7 } },
    ]);

    const record = await load(product, count, (_, agent) => ask('')(agent));
    return figuresOf('a dataset record', record, { perSecond: { atLeast: 1_200 } });
  };

export const reads = createReads(3_000);
