/**
 * Small reads over 16 connections, by turns: of many tables of 1,000 rows, of one that has a read copy, and the same statements directly in
 * ClickHouse on a plain table. Also the CPU time of each component.
 */
import { Agent } from 'node:http';
import { settings } from '../src/config.js';
import type { Bench } from './support/bench.js';
import { createDataset, uploadAndWait } from './support/client.js';
import type { Figure, Goal } from './support/figure.js';
import { cpuOfFamilies, untilQuiet } from './support/process-stats.js';
import type { RunningProduct } from './support/product.js';
import { readCopiesFrom, untilReadCopy } from './support/read-copy.js';
import { type Fetched, fetchAll, queryClickHouse } from './support/requests.js';
import { shortContent } from './support/short-upload.js';
import { median } from './support/statistics.js';

const connections = 16;

/** Enables the result cache with its default size. */
export const withResultCache = { resultCacheBytes: settings.resultCacheBytes.default ?? '' };

/** Components involved in a read. */
const components = ['api', 'postgres', 'clickhouse'] as const;

interface Load {
  readonly perSecond: number;
  readonly medianMs: number;
  /** CPU milliseconds per request, by component. */
  readonly cpuMs: Readonly<Record<string, number>>;
}

/** @param turn number of the request, from 1 */
type Send = (turn: number, agent: Agent) => Promise<Fetched>;

/** Sends `count` requests over all connections. @param sent number of requests of this kind that were sent before */
const load = async (product: RunningProduct, count: number, send: Send, sent = 0): Promise<Load> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let turn = sent;
  const times: number[] = [];
  const client = async (): Promise<void> => {
    while (turn < sent + count) {
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

/** Rounds of loads that are compared. */
const rounds = 5;

/** Medians of loads by turns: a machine that gets slower meanwhile slows all of them. */
const loadByTurns = async <K extends string>(
  product: RunningProduct,
  count: number,
  sends: Readonly<Record<K, Send>>,
): Promise<Readonly<Record<K, Load>>> => {
  const kinds = Object.keys(sends) as K[];
  const loads = Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as Record<K, Load[]>;
  const each = Math.ceil(count / rounds);
  for (let round = 0; round < rounds; round += 1)
    for (const kind of kinds) loads[kind].push(await load(product, each, sends[kind], round * each));
  const medianOf = (kind: K, value: (load: Load) => number): number => median(loads[kind].map(value));
  const medians = kinds.map((kind): [K, Load] => [
    kind,
    {
      perSecond: medianOf(kind, ({ perSecond }) => perSecond),
      medianMs: medianOf(kind, ({ medianMs }) => medianMs),
      cpuMs: Object.fromEntries(
        components.map((name) => [name, medianOf(kind, ({ cpuMs }) => cpuMs[name] ?? Number.NaN)]),
      ),
    },
  ]);
  return Object.fromEntries(medians) as Record<K, Load>;
};

interface Goals {
  readonly perSecond?: Goal;
  readonly cpuMs?: Goal;
}

/** @param plain the same statement on the plain table */
const figuresOf = (
  name: string,
  measured: Load,
  goals: Goals = {},
  plain?: Load & { readonly name: string },
): Figure[] => {
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
            yardstick: { name: plain.name, value: plain.perSecond, unit: '/s' },
          },
          {
            name: `${name}, CPU of ClickHouse vs plain table`,
            value: (measured.cpuMs.clickhouse ?? Number.NaN) / (plain.cpuMs.clickhouse ?? Number.NaN),
            unit: '×',
            better: 'lower' as const,
            yardstick: { name: plain.name, value: plain.cpuMs.clickhouse ?? Number.NaN, unit: 'ms' },
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

/** Reads of each table: too few for a read copy. */
const readsPerTable = 90;

const rowsPerTable = 1_000;

/** @param requests number of requests of each kind in a full run */
export const createReads =
  (requests: number): Bench =>
  async ({ pick, report, product: open, defer }) => {
    const product = await open({ ...withResultCache, ...readCopiesFrom(1_000_000) });
    const { baseUrl, authorization, clickhouseUrl } = product;
    const count = pick(requests, 100);
    const newTable = async (): Promise<number> => {
      const dataset = await createDataset(product, `reads ${Date.now()}`);
      await uploadAndWait(product, dataset, shortContent());
      return dataset;
    };
    const tables: number[] = [];
    while (tables.length * readsPerTable < 3 * count) tables.push(await newTable());
    const dataset = await newTable();
    await makePlain(clickhouseUrl);
    await untilQuiet(product);
    await defer('the plain table', async () => {
      await queryClickHouse(clickhouseUrl, 'DROP TABLE bench_plain_reads');
    });
    const askOf = (table: number, path: string, agent: Agent) =>
      fetchAll(`${baseUrl}/datasets/${table}${path}`, { headers: { authorization }, agent });
    /** Asks the table that has a read copy. */
    const ask =
      (path: (turn: number) => string): Send =>
      (turn, agent) =>
        askOf(dataset, path(turn), agent);
    /** Asks one of the other tables after the other. */
    const askEach =
      (path: (turn: number) => string): Send =>
      (turn, agent) =>
        askOf(tables[turn % tables.length] ?? dataset, path(turn), agent);
    const askPlain =
      (sql: (turn: number) => string): Send =>
      (turn, agent) =>
        fetchAll(clickhouseUrl, {
          body: `SELECT date, region, value FROM bench_plain_reads ${sql(turn)}`,
          agent,
        });
    const filter = (turn: number): string =>
      `/data?$format=json&$filter=${encodeURIComponent(`region eq 'Region 3' and value gt ${turn % 500}.${turn}`)}`;
    // Never the same question twice, which the result cache would answer.
    const topOf = (turn: number): number => 10 + Math.floor(turn / 900);
    const tenRows = (turn: number): string => `/data?$format=json&$top=${topOf(turn)}&$skip=${turn % 900}`;

    await load(
      product,
      count,
      askEach((turn) => filter(turn + 5_000)),
    );
    await load(
      product,
      2 * readsPerTable,
      ask((turn) => filter(turn + 9_000)),
    );
    await untilReadCopy(product, dataset, rowsPerTable);
    const measured = await loadByTurns(product, count, {
      plainFilter: askPlain(
        (turn) => `WHERE region = 'Region 3' AND value > ${turn % 500}.${turn} ORDER BY n FORMAT JSONEachRow`,
      ),
      filter: askEach(filter),
      copyFilter: ask(filter),
      plainTop: askPlain((turn) => `ORDER BY n LIMIT ${topOf(turn)} OFFSET ${turn % 900} FORMAT JSONEachRow`),
      tenRows: askEach(tenRows),
      copyTop: ask(tenRows),
    });
    const plainFilter = { name: 'a filter, plain table', ...measured.plainFilter };
    const plainTop = { name: 'ten rows, plain table', ...measured.plainTop };
    const filterGoals = { perSecond: { atLeast: 450 }, cpuMs: { atMost: 4 } };
    report(figuresOf('a filter', measured.filter, filterGoals, plainFilter));
    report(figuresOf('ten rows', measured.tenRows, {}, plainTop));
    report(figuresOf('a filter, from the read copy', measured.copyFilter, filterGoals, plainFilter));
    report(figuresOf('ten rows, from the read copy', measured.copyTop, {}, plainTop));

    const again = await load(
      product,
      count,
      ask(() => filter(7)),
    );
    report(figuresOf('the same filter again', again, { perSecond: { atLeast: 1_500 } }, plainFilter));

    const one = new Agent({ keepAlive: true, maxSockets: 1 });
    const alone: number[] = [];
    for (let turn = 0; turn < pick(200, 10); turn += 1)
      alone.push((await ask(() => filter(7))(turn, one)).totalMs);
    const askFirst = askEach((turn) => `/data?$format=json&$top=1000&$filter=value%20gt%20-${turn}`);
    const first: number[] = [];
    for (let turn = 0; turn < pick(200, 10); turn += 1) first.push((await askFirst(turn, one)).totalMs);
    one.destroy();
    report([
      { name: 'the same filter again, alone', value: median(alone), unit: 'ms', goal: { atMost: 3 } },
      { name: 'first 1,000 rows, alone', value: median(first), unit: 'ms', goal: { atMost: 7 } },
    ]);

    const record = await load(
      product,
      count,
      ask(() => ''),
    );
    return figuresOf('a dataset record', record, { perSecond: { atLeast: 1_200 } });
  };

export const reads = createReads(3_000);
