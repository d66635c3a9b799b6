/**
 * Aggregations over HTTP against the same statements straight from ClickHouse, and from DuckDB where the Python of the
 * readers' tests (CLIENTS_PYTHON) has it. DuckDB reads the rows as the service's Parquet file gives them.
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

/** Countries of the table: the groups of most questions. */
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
  /** From GROUP BY on. */
  readonly tail: string;
}

/** @param table What stands behind FROM. */
const text = ({ select, where = 'true', tail }: Statement, table: string): string =>
  `SELECT ${select} FROM ${table} WHERE ${where} ${tail}`;

interface Question {
  readonly title: string;
  readonly apply: string;
  /** The same in SQL, with the names of the columns by position: day, country, product, price, quantity. */
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

const asked = (product: RunningProduct, datasetId: number, { apply }: Question) =>
  download(product, { datasetId }, `$format=csv&$apply=${encodeURIComponent(apply)}`);

const straight = (product: RunningProduct, { table, columns }: StoredTable, { sql }: Question) => {
  const body = `${text(sql(columns), table)} FORMAT CSVWithNames`;
  return () => fetchAll(product.clickhouseUrl, { body });
};

const figuresOf = async (
  product: RunningProduct,
  stored: StoredTable,
  question: Question,
  turns: number,
): Promise<Figure> => {
  const [ours, raw] = [asked(product, stored.datasetId, question), straight(product, stored, question)];
  await ours();
  await raw();
  const pairs = await inTurn(turns, async () => {
    const pair = { ours: await ours(), raw: await raw() };
    if (pair.ours.status !== 200 || pair.raw.status !== 200)
      throw new Error(`${question.title}: status ${pair.ours.status} and ${pair.raw.status}`);
    return pair;
  });
  return {
    name: `${question.title}, time of ClickHouse`,
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

/** Asks for a few rows first: the service's own code is compiled as it runs, that of ClickHouse and DuckDB is not. */
const warmUp = async (product: RunningProduct, turns: number): Promise<void> => {
  const datasetId = await createDataset(product, 'warm-up of questions');
  await uploadAndWait(product, datasetId, rows(1_000));
  for (const question of questions)
    await inTurn(turns, async () => {
      const { status } = await asked(product, datasetId, question)();
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
    name: 'values of a column that begin with letters, p50',
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
        begun = time.perf_counter()
        db.execute(sql).fetchall()
        times.append((time.perf_counter() - begun) * 1000)
    found.append(statistics.median(times))
print(json.dumps(found))
`;

const names = ['day', 'country', 'product', 'price', 'quantity'];

/** Milliseconds of each question; undefined without DuckDB. */
const askDuckDb = async (parquet: string, turns: number): Promise<readonly number[] | undefined> => {
  const python = process.env.CLIENTS_PYTHON ?? 'python3';
  const run = promisify(execFile);
  const has = await run(python, ['-c', 'import duckdb']).then(
    () => true,
    () => false,
  );
  if (!has) return undefined;
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
  // More than share a table with others: the same question straight from ClickHouse needs one of its own.
  const count = pick(5_000_000, 200_000);
  await warmUp(product, pick(200, 5));
  const stored = await storeTable(product, 'questions', rows(count));
  say(`${count} rows are there`);
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
  if (!answer.ok) throw new Error(`the Parquet file answered ${answer.status}`);
  await writeFile(parquet, Buffer.from(await answer.arrayBuffer()));
  const duck = await askDuckDb(parquet, turns);
  if (duck === undefined) say('no DuckDB: set CLIENTS_PYTHON to a Python that has it');
  return (duck ?? []).map((ms, at) => ({
    name: `${questions[at]?.title}, DuckDB alone`,
    value: ms,
    unit: 'ms',
  }));
};
