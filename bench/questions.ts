/**
 * Aggregations over HTTP compared with the same statements directly in ClickHouse, and in DuckDB if CLIENTS_PYTHON names
 * a Python that has it. DuckDB loads the rows from the service's Parquet file.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bench } from './support/bench.js';
import { createDataset, uploadAndWait } from './support/client.js';
import type { Figure } from './support/figure.js';
import type { RunningProduct } from './support/product.js';
import { fetchAll, inTurn } from './support/requests.js';
import { median } from './support/statistics.js';
import { download, type StoredTable, storeTable } from './support/stored.js';

/** Number of countries, the groups of most queries. */
const groups = 200;
const rowsPerSlice = 20_000;

async function* rows(count: number): AsyncGenerator<Buffer> {
  yield Buffer.from('day,country,product,price,quantity\n');
  let state = 7;
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * bound);
  };
  for (let from = 0; from < count; from += rowsPerSlice) {
    const lines: string[] = [];
    for (let row = from; row < Math.min(count, from + rowsPerSlice); row += 1) {
      const day = new Date(Date.UTC(2000, 0, 1 + (row % 7_300))).toISOString().slice(0, 10);
      const quantity = below(50) === 0 ? '' : String(below(1_000));
      const price = (below(10_000_000) / 100).toFixed(2);
      lines.push(`${day},C${below(groups)},P${below(1_000)},${price},${quantity}\n`);
    }
    yield Buffer.from(lines.join(''));
  }
}

interface Statement {
  readonly select: string;
  readonly where?: string;
  /** GROUP BY and later clauses. */
  readonly tail: string;
}

const text = ({ select, where = 'true', tail }: Statement, table: string): string =>
  `SELECT ${select} FROM ${table} WHERE ${where} ${tail}`;

interface Question {
  readonly title: string;
  readonly apply: string;
  /** The same in SQL; `names` are those of day, country, product, price and quantity. */
  readonly sql: (names: readonly string[]) => Statement;
  readonly goal?: Figure['goal'];
}

const questions: readonly Question[] = [
  {
    title: `sum, average and count of ${groups} groups`,
    apply: 'groupby((country),aggregate(price with sum as S,price with average as M,$count as N))',
    sql: ([, country, , price]) => ({
      select: `${country}, sum(${price}) AS s, avg(${price}) AS m, count(*) AS n`,
      tail: `GROUP BY ${country} ORDER BY ${country}`,
    }),
    goal: { atMost: 1.3 },
  },
  {
    title: 'daily to monthly',
    apply: 'groupby((startofmonth(day) as Month),aggregate(price with average as M))',
    sql: ([day, , , price]) => ({
      select: `date_trunc('month', ${day}) AS month, avg(${price}) AS m`,
      tail: 'GROUP BY month ORDER BY month',
    }),
  },
  {
    title: 'a filter, then the ten largest',
    apply:
      'filter(quantity gt 500)/groupby((product),aggregate(price with max as Top))/orderby(Top desc)/top(10)',
    sql: ([, , product, price, quantity]) => ({
      select: `${product}, max(${price}) AS highest`,
      tail: `GROUP BY ${product} ORDER BY highest DESC, ${product} LIMIT 10`,
      where: `${quantity} > 500`,
    }),
  },
];

const viaApi = (product: RunningProduct, datasetId: number, { apply }: Question) =>
  download(product, { datasetId }, `$format=csv&$apply=${encodeURIComponent(apply)}`);

const direct = (product: RunningProduct, { table, columns }: StoredTable, { sql }: Question) => {
  const body = `${text(sql(columns), table)} FORMAT CSVWithNames`;
  return () => fetchAll(product.clickhouseUrl, { body });
};

const figuresOf = async (
  product: RunningProduct,
  stored: StoredTable,
  question: Question,
  turns: number,
): Promise<Figure> => {
  const [ours, raw] = [viaApi(product, stored.datasetId, question), direct(product, stored, question)];
  await ours();
  await raw();
  const pairs = await inTurn(turns, async () => {
    const pair = { ours: await ours(), raw: await raw() };
    if (pair.ours.status !== 200 || pair.raw.status !== 200)
      throw new Error(`${question.title}: status ${pair.ours.status} and ${pair.raw.status}`);
    return pair;
  });
  return {
    name: `${question.title}, time vs ClickHouse`,
    value: median(pairs.map((pair) => pair.ours.totalMs / pair.raw.totalMs)),
    unit: '×',
    ...(question.goal === undefined ? { better: 'lower' } : { goal: question.goal }),
    yardstick: {
      name: 'the same GROUP BY over HTTP',
      value: median(pairs.map(({ raw: { totalMs } }) => totalMs)),
      unit: 'ms',
    },
  };
};

/** Warms up the service's JIT-compiled code on a few rows; ClickHouse and DuckDB need no warm-up. */
const warmUp = async (product: RunningProduct, turns: number): Promise<void> => {
  const datasetId = await createDataset(product, 'warm-up of questions');
  await uploadAndWait(product, datasetId, rows(1_000));
  for (const question of questions)
    await inTurn(turns, async () => {
      const { status } = await viaApi(product, datasetId, question)();
      if (status !== 200) throw new Error(`${question.title}: status ${status} of a small table`);
    });
};

/** Suggestions while typing: values of a column with their counts, over all rows. */
const completionFigure = async (
  { baseUrl, authorization }: RunningProduct,
  { datasetId }: StoredTable,
  turns: number,
): Promise<Figure> => {
  const times = await inTurn(turns, async (turn) => {
    const address = `${baseUrl}/datasets/${datasetId}/columns/product/values?startsWith=P${turn % 10}&$top=20`;
    const { status, totalMs } = await fetchAll(address, { headers: { authorization } });
    if (status !== 200) throw new Error(`the values answered ${status}`);
    return totalMs;
  });
  return {
    name: 'values of a column by prefix, p50',
    value: median(times),
    unit: 'ms',
    better: 'lower',
  };
};

const duckDbScript = `
import duckdb, json, statistics, sys, time
path, questions, turns = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
db = duckdb.connect()
db.execute("CREATE TABLE t AS SELECT * FROM read_parquet(?)", [path])
found = []
for sql in questions:
    db.execute(sql).fetchall()
    times = []
    for _ in range(turns):
        started = time.perf_counter()
        db.execute(sql).fetchall()
        times.append((time.perf_counter() - started) * 1000)
    found.append(statistics.median(times))
print(json.dumps(found))
`;

const names = ['day', 'country', 'product', 'price', 'quantity'];

/** Milliseconds of each query; undefined without DuckDB. */
const timeDuckDb = async (parquet: string, turns: number): Promise<readonly number[] | undefined> => {
  const python = process.env.CLIENTS_PYTHON ?? 'python3';
  const run = promisify(execFile);
  const isInstalled = await run(python, ['-c', 'import duckdb']).then(
    () => true,
    () => false,
  );
  if (!isInstalled) return undefined;
  const statements = questions.map(({ sql }) => text(sql(names), 't'));
  const { stdout } = await run(python, [
    '-c',
    duckDbScript,
    parquet,
    JSON.stringify(statements),
    String(turns),
  ]);
  return JSON.parse(stdout) as number[];
};

export const askQuestions: Bench = async ({ pick, say, report, product: open, defer }) => {
  const product = await open();
  // Too many rows for a shared pool: the direct query needs a table of its own.
  const count = pick(5_000_000, 200_000);
  await warmUp(product, pick(200, 5));
  const stored = await storeTable(product, 'questions', rows(count));
  say(`${count} rows uploaded`);
  const turns = pick(15, 3);
  const figures: Figure[] = [];
  for (const question of questions) figures.push(await figuresOf(product, stored, question, turns));
  figures.push(await completionFigure(product, stored, turns));
  report(figures);

  const folder = await mkdtemp(join(tmpdir(), 'bench-questions-'));
  await defer('the Parquet file', () => rm(folder, { recursive: true }));
  const parquet = join(folder, 'rows.parquet');
  const { baseUrl, authorization } = product;
  const answer = await fetch(`${baseUrl}/datasets/${stored.datasetId}/data?$format=parquet`, {
    headers: { authorization },
  });
  if (!answer.ok) throw new Error(`the Parquet download answered ${answer.status}`);
  await writeFile(parquet, Buffer.from(await answer.arrayBuffer()));
  const duck = await timeDuckDb(parquet, turns);
  if (duck === undefined) say('DuckDB not measured: set CLIENTS_PYTHON to a Python that has it');
  return (duck ?? []).map((ms, at) => ({
    name: `${questions[at]?.title}, DuckDB alone`,
    value: ms,
    unit: 'ms',
  }));
};
