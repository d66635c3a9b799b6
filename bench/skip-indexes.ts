/**
 * Cost of skip indexes and LowCardinality texts for inserts, and their gain for selective filters. Feeds
 * docs/adr/0013-indexes.md. Uses only the table layout of the product.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './support/bench.js';
import type { Figure } from './support/figure.js';
import { cpuSeconds } from './support/process-stats.js';
import type { RunningProduct } from './support/product.js';
import { inTurn, queryClickHouse } from './support/requests.js';

const database = 'bench_indexes';
/** Rows per insert, about one chunk of an upload. */
const blockRows = 250_000;

/** Columns and the expressions of their values; whether an index can skip granules depends on their order. */
const columns = {
  c1_d: { type: 'Date32', value: "toDate32('2000-01-01') + intDiv(number, 20000)" },
  c2_s: { type: 'String', value: "concat('Country ', toString(number % 200))" },
  c3_s: { type: 'String', value: "concat('SERIES.', toString(intDiv(number, 1000)), '.A')" },
  c4_s: { type: 'String', value: "concat('id-', toString(cityHash64(number) % 5000000))" },
  c5_f: { type: 'Float64', value: '(cityHash64(number, 1) % 100000000) / 100' },
  c6_f: { type: 'Float64', value: 'number / 4' },
} as const;
type ColumnName = keyof typeof columns;
const names = Object.keys(columns) as ColumnName[];
const texts = names.filter((name) => name.endsWith('_s'));
const others = names.filter((name) => !name.endsWith('_s'));

interface Layout {
  readonly text?: 'String' | 'LowCardinality';
  readonly indexes?: readonly string[];
}

const index =
  (type: string, granularity = 1) =>
  (name: ColumnName) =>
    `INDEX i_${name}_${type.replace(/\W.*/, '')} ${name} TYPE ${type} GRANULARITY ${granularity}`;

const minmax = index('minmax');

const layouts: Readonly<Record<string, Layout>> = {
  plain: {},
  'minmax of numbers and dates': { indexes: others.map(minmax) },
  'minmax of numbers and dates, by 4': { indexes: others.map(index('minmax', 4)) },
  'minmax of all': { indexes: names.map(minmax) },
  'minmax of all, set of texts': { indexes: [...names.map(minmax), ...texts.map(index('set(256)'))] },
  'minmax of all, bloom filter of texts': {
    indexes: [...names.map(minmax), ...texts.map(index('bloom_filter(0.01)'))],
  },
  'low cardinality texts': { text: 'LowCardinality' },
};

const filters: Readonly<Record<string, string>> = {
  'date in order': "c1_d = '2000-02-01'",
  'text in order': "c3_s = 'SERIES.700.A'",
  'number in order': 'c6_f >= 100000 AND c6_f < 100100',
  'text of 200': "c2_s = 'Country 7' AND c5_f < 100",
  'text of many': "c4_s = 'id-77777'",
  'number at random': 'c5_f > 999990',
};

const typeOf = (name: ColumnName, layout: Layout): string => {
  const { type } = columns[name];
  const nullable = `Nullable(${type})`;
  return type === 'String' && layout.text === 'LowCardinality' ? `LowCardinality(${nullable})` : nullable;
};

const createSql = (layout: Layout): string =>
  `CREATE TABLE ${database}.t (_seg UInt64 CODEC(Delta, LZ4), _row UInt64 CODEC(Delta, LZ4),
     ${[...names.map((name) => `${name} ${typeOf(name, layout)}`), ...(layout.indexes ?? [])].join(', ')})
   ENGINE = MergeTree PARTITION BY _seg ORDER BY _row
   SETTINGS min_bytes_for_wide_part = 10485760, merge_selector_base = 30, auto_statistics_types = ''`;

interface Measured {
  readonly title: string;
  readonly layout: Layout;
  readonly rows: number;
}

/** Measures inserts, size on disk, and filters for one layout. */
const measureLayout = async (
  product: RunningProduct,
  { title, layout, rows }: Measured,
): Promise<Figure[]> => {
  const ask = (sql: string) => queryClickHouse(product.clickhouseUrl, sql);
  const cpu = (): number => cpuSeconds(product.pids().clickhouse ?? 0);
  const settled = async (): Promise<void> => {
    while ((await ask(`SELECT count() FROM system.merges WHERE database = '${database}'`)) !== '0')
      await sleep(200);
  };
  await ask(`DROP DATABASE IF EXISTS ${database} SYNC`);
  await ask(`CREATE DATABASE ${database}`);
  await ask(createSql(layout));
  const before = cpu();
  for (let from = 0; from < rows; from += blockRows)
    await ask(
      `INSERT INTO ${database}.t SELECT 1, number, ${names.map((name) => columns[name].value).join(', ')}
       FROM numbers(${from}, ${Math.min(blockRows, rows - from)})
       SETTINGS max_threads = 1, max_insert_threads = 1, max_block_size = ${blockRows}, optimize_on_insert = 0`,
    );
  await settled();
  const insertSeconds = cpu() - before;
  const bytes = await ask(
    `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '${database}'`,
  );
  const figures: Figure[] = [
    { name: `${title}: CPU of the inserts`, value: insertSeconds, unit: 's', better: 'lower' },
    { name: `${title}: size`, value: Number(bytes) / 1e6, unit: 'MB', better: 'lower' },
  ];
  const turns = 5;
  for (const [filter, sql] of Object.entries(filters)) {
    const query = `SELECT ${names.join(', ')} FROM ${database}.t WHERE _seg IN (1) AND ${sql} ORDER BY _row FORMAT CSV`;
    await ask(query);
    const [cpuBefore, startedAt] = [cpu(), performance.now()];
    await inTurn(turns, () => ask(query));
    const time = (performance.now() - startedAt) / turns;
    const cpuTime = ((cpu() - cpuBefore) / turns) * 1_000;
    figures.push(
      { name: `${title}: CPU of "${filter}"`, value: cpuTime, unit: 'ms', better: 'lower' },
      { name: `${title}: time of "${filter}"`, value: time, unit: 'ms', better: 'lower' },
    );
  }
  return figures;
};

export const skipIndexes: Bench = async ({ pick, report, product: open, say, defer }) => {
  const product = await open();
  await defer('tables', async () => {
    await queryClickHouse(product.clickhouseUrl, `DROP DATABASE IF EXISTS ${database} SYNC`);
  });
  const some = pick(20_000_000, 1_000_000);
  const many = pick(100_000_000, 2_000_000);
  const all = [
    ...Object.entries(layouts).map(([title, layout]) => ({ title, layout, rows: some })),
    ...['plain', 'minmax of all'].map((title) => ({
      title: `${title}, ${many / 1e6} M rows`,
      layout: layouts[title] ?? {},
      rows: many,
    })),
  ];
  for (const one of all) {
    const figures = await measureLayout(product, one);
    report(figures);
    say(`${one.title}: ${figures.map(({ value }) => value.toFixed(value < 10 ? 1 : 0)).join('  ')}`);
  }
  return [];
};
