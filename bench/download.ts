import type { Bench } from './support/bench.js';
import { fileContent } from './support/client.js';
import type { Figure } from './support/figure.js';
import { peakMemoryMb, resetPeakMemory } from './support/process-stats.js';
import { type Fetched, inTurn } from './support/requests.js';
import { median, percentile } from './support/statistics.js';
import { download, rawDownload, type StoredTable, storeTable } from './support/stored.js';
import { tableFile } from './support/table-file.js';

const wideColumns = 1_000;

async function* wideRows(count: number): AsyncGenerator<Buffer> {
  const names = Array.from({ length: wideColumns }, (_, index) => `v${index}`);
  yield Buffer.from(`country,${names.join(',')}\n`);
  for (let row = 0; row < count; row += 100) {
    const lines = Array.from({ length: 100 }, (_, index) => {
      const cells = names.map((_name, column) => ((row + index) * 31 + column * 17) % 10_007);
      return `Country ${(row + index) % 50},${cells.join(',')}\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

const filterOf = (condition: string): string => `$filter=${encodeURIComponent(condition)}`;

type Request = () => Promise<Fetched>;

/** Alternates both requests, ours first, after one unmeasured pair. */
const inPairs = async (turns: number, ours: Request, raw: Request) => {
  await ours();
  await raw();
  return inTurn(turns, async () => {
    const pair = { ours: await ours(), raw: await raw() };
    if (pair.ours.status !== 200 || pair.raw.status !== 200)
      throw new Error(`status ${pair.ours.status} and ${pair.raw.status}`);
    return pair;
  });
};

type Pairs = Awaited<ReturnType<typeof inPairs>>;

/** Ratio of our bytes per second to ClickHouse's. */
const throughput = (name: string, pairs: Pairs): Figure => {
  const speed = ({ bytes, totalMs }: Fetched): number => bytes / totalMs;
  return {
    name: `${name}, throughput vs ClickHouse`,
    value: median(pairs.map(({ ours, raw }) => speed(ours) / speed(raw))),
    unit: '×',
    goal: { atLeast: 0.9 },
    yardstick: {
      name: 'the same SELECT over HTTP',
      value: median(pairs.map(({ raw }) => speed(raw))) / 1_000,
      unit: 'MB/s',
    },
  };
};

const times = (pairs: Pairs, side: 'ours' | 'raw'): number[] => pairs.map((pair) => pair[side].totalMs);

/** Few columns of a 1,000-column table: measures the overhead around the query. */
const narrowFigures = (pairs: Pairs): Figure[] => {
  const raw = percentile(times(pairs, 'raw'), 0.95);
  const yardstick = { name: 'the same SELECT, p95', value: raw, unit: 'ms' };
  return [
    {
      name: '5 of 1,000 columns, filtered, p95',
      value: percentile(times(pairs, 'ours'), 0.95),
      unit: 'ms',
      goal: { atMost: 50 },
      yardstick,
    },
    {
      name: '5 of 1,000 columns, filtered, over the SELECT',
      value: median(pairs.map(({ ours, raw: alone }) => ours.totalMs - alone.totalMs)),
      unit: 'ms',
      goal: { atMost: 5 },
    },
  ];
};

const unchangedFigure = async (
  ask: (headers: Record<string, string>) => Request,
  turns: number,
): Promise<Figure> => {
  const { headers } = await ask({})();
  const again = ask({ 'if-none-match': headers.etag ?? '' });
  const answers = await inTurn(turns, again);
  if (answers.some(({ status }) => status !== 304)) throw new Error('an answer was not 304');
  const all = answers.map(({ totalMs }) => totalMs);
  return { name: '304, p99', value: percentile(all, 0.99), unit: 'ms', goal: { atMost: 10 } };
};

/** Time of concurrent downloads relative to the same number in sequence; below 1, concurrency uses the machine better. */
const crowdFigure = async (ask: Request, count: number): Promise<Figure> => {
  const alone = await inTurn(3, ask);
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: count }, ask));
  const together = performance.now() - startedAt;
  if (answers.some(({ status }) => status !== 200)) throw new Error('an answer was not 200');
  return {
    name: `${count} downloads at once, time vs in sequence`,
    value: together / (median(alone.map(({ totalMs }) => totalMs)) * count),
    unit: '×',
    goal: { atMost: 1.2 },
  };
};

/** Growth of the API's peak memory from a small download to a large one. */
const memoryFigure = async (pid: number, small: Request, large: Request, turns: number): Promise<Figure> => {
  await small();
  resetPeakMemory(pid);
  await small();
  const before = peakMemoryMb(pid);
  resetPeakMemory(pid);
  await inTurn(turns, large);
  return {
    name: 'API memory, large download over small',
    value: peakMemoryMb(pid) - before,
    unit: 'MB',
    goal: { atMost: 50 },
  };
};

/** Downloads compared with the same SELECT directly from ClickHouse over HTTP, alternating. */
export const downloads: Bench = async ({ pick, say, product: open }) => {
  const product = await open();
  const file = await tableFile(pick(5_000_000, 500_000));
  const long = await storeTable(product, 'long', fileContent(file.path));
  const wide = await storeTable(product, 'wide', wideRows(pick(50_000, 2_000)));
  const turns = pick(9, 1);
  const { columns } = long;
  const names = ['date', 'country', 'indicator', 'value', 'share', 'count'];
  const named = columns.map((column, place) => `${column} AS ${names[place]}`);
  const filter = filterOf("country eq 'France' and value gt 500000");
  const condition = `AND ${columns[1]} = 'France' AND ${columns[3]} > 500000`;
  const pairsOf = (
    target: StoredTable,
    query: string,
    select: Parameters<typeof rawDownload>[2],
    count = turns,
  ) => inPairs(count, download(product, target, query), rawDownload(product, target, select));

  const figures: Figure[] = [];
  const ratio = async (name: string, query: string, format: string, more = {}): Promise<void> => {
    const figure = throughput(name, await pairsOf(long, query, { columns: named, format, ...more }));
    say(`${name}: ${figure.value.toFixed(2)}`);
    figures.push(figure);
  };
  await ratio('full CSV', '$skip=0', 'CSVWithNames');
  await ratio('filtered CSV', filter, 'CSVWithNames', { condition });
  await ratio('full JSON', '$format=json', 'JSONEachRow');
  // Our TSV is quoted like CSV, so that it is lossless.
  await ratio('full TSV', '$format=tsv', 'CSVWithNames', { settings: ", format_csv_delimiter = '\t'" });
  await ratio('full Parquet', '$format=parquet&$skip=0', 'Parquet');

  const narrow = await pairsOf(
    wide,
    `$select=v1,v2,v3,v4,v5&${filterOf("country eq 'Country 7'")}`,
    {
      columns: [0, 2, 3, 4, 5, 6].map((place) => wide.columns[place] ?? ''),
      condition: `AND ${wide.columns[0]} = 'Country 7'`,
      format: 'CSVWithNames',
    },
    pick(60, 5),
  );
  const firsts = await inTurn(pick(15, 3), download(product, long, filter));
  const apiPid = product.pids().api ?? 0;
  return [
    ...figures,
    ...narrowFigures(narrow),
    {
      name: 'first byte of a filtered download',
      value: median(firsts.map(({ firstMs }) => firstMs)),
      unit: 'ms',
      goal: { atMost: 100 },
    },
    await unchangedFigure(
      (headers) => download(product, long, '$format=json&$top=1', headers),
      pick(500, 20),
    ),
    await crowdFigure(download(product, long, filter), pick(50, 5)),
    await memoryFigure(
      apiPid,
      download(product, long, '$top=150000'),
      download(product, long, '$format=json'),
      pick(16, 1),
    ),
  ];
};
