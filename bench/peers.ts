/** Loads one file and runs the same queries here, in a plain ClickHouse table, in DuckDB and in SQLite. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Database, duckDb, plainClickHouse, sqliteDatabase } from './peers/databases.js';
import { loadNow, type PeersResult, type Row, renderPeers } from './peers/markdown.js';
import { type Question, questions } from './peers/questions.js';
import { createReads, withResultCache } from './reads.js';
import type { Bench, BenchContext } from './support/bench.js';
import { createDataset, fileContent, uploadAndWait } from './support/client.js';
import type { Figure } from './support/figure.js';
import { measure, type Usage, untilQuiet } from './support/process-stats.js';
import type { RunningProduct } from './support/product.js';
import { readCopiesFrom, untilReadCopy } from './support/read-copy.js';
import { median } from './support/statistics.js';
import { download } from './support/stored.js';
import { type TableFile, tableFile } from './support/table-file.js';

const resultPath = fileURLToPath(new URL('../docs/peers.md', import.meta.url));

const timed = async <T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> => {
  const startedAt = performance.now();
  const value = await work();
  return { value, ms: performance.now() - startedAt };
};

interface Loaded {
  readonly row: Row;
  readonly datasetId: number;
  /** Usage of the uploads and the INSERTs, by turn. */
  readonly uploads: readonly Usage[];
  readonly inserts: readonly Usage[];
}

const load = async (
  product: RunningProduct,
  file: TableFile,
  { plain, others, turns }: { plain: Database; others: readonly Database[]; turns: number },
): Promise<Loaded> => {
  const times: number[][] = [[], [], ...others.map(() => [])];
  const uploads: Usage[] = [];
  const inserts: Usage[] = [];
  let datasetId = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    // First of all, because SQLite blocks this process for longer than the product keeps an idle connection open.
    await untilQuiet(product);
    datasetId = await createDataset(product, `peers ${turn}`);
    const upload = await measure(product, () => uploadAndWait(product, datasetId, fileContent(file.path)));
    if (upload.value.rows !== file.rows) throw new Error(`the upload stored ${upload.value.rows} rows`);
    await untilQuiet(product);
    const insert = await measure(product, plain.load);
    uploads.push(upload.usage);
    inserts.push(insert.usage);
    times[0]?.push(upload.seconds * 1_000);
    times[1]?.push(insert.seconds * 1_000);
    for (const [at, { load: loadOther, maxTurns = turns }] of others.entries())
      if (turn < maxTurns) times[at + 2]?.push((await timed(loadOther)).ms);
  }
  return {
    row: { title: 'load the file until readable', ms: times.map(median) },
    datasetId,
    uploads,
    inserts,
  };
};

interface QueryOptions {
  readonly datasetId: number;
  readonly databases: readonly Database[];
  /** Unmeasured requests to the service first, for its JIT compiler. */
  readonly warmUp: number;
  readonly turns: number;
}

const timeQuery = async (
  product: RunningProduct,
  question: Question,
  { datasetId, databases, warmUp, turns }: QueryOptions,
): Promise<Row> => {
  const { title, form, options, sql } = question;
  const times: number[][] = [[], ...databases.map(() => [])];
  const queryOurs = async (turn: number): Promise<number> => {
    const { status, totalMs } = await download(product, { datasetId }, options(turn))();
    if (status !== 200) throw new Error(`${title}: status ${status}`);
    return totalMs;
  };
  for (let turn = 0; turn < warmUp; turn += 1) await queryOurs(turns + turn);
  for (let turn = 0; turn < turns; turn += 1) {
    times[0]?.push(await queryOurs(turn));
    for (const [at, { query: queryOther, maxTurns = turns }] of databases.entries()) {
      if (turn >= maxTurns) continue;
      const { value: supported, ms } = await timed(() => queryOther(sql(turn), form));
      if (supported) times[at + 1]?.push(ms);
    }
  }
  return { title, ms: times.map((ms) => (ms.length === 0 ? undefined : median(ms))) };
};

/** Appends a row and waits until the version is read from its read copy. */
const untilCopied = async (product: RunningProduct, datasetId: number, file: TableFile): Promise<void> => {
  const [header = ''] = readFileSync(file.path).subarray(0, 1_000).toString().split('\n', 1);
  const row = Readable.from([Buffer.from(`${header}\n2000-01-01,France,price,1.5,2.5,3\n`)]);
  await uploadAndWait(product, datasetId, row, { mode: 'append' });
  await untilReadCopy(product, datasetId, file.rows + 1);
};

const medianCpu = (usages: readonly Usage[]): Record<string, number> =>
  Object.fromEntries(
    Object.keys(usages[0]?.cpuSeconds ?? {}).map((name) => [
      name,
      median(usages.map(({ cpuSeconds }) => cpuSeconds[name] ?? Number.NaN)),
    ]),
  );

/** Figures of the bench `reads`. */
const readFigures = async (context: BenchContext, product: RunningProduct): Promise<Figure[]> => {
  const reported: Figure[] = [];
  const last = await createReads(1_000)({
    ...context,
    product: async () => product,
    report: (figures) => void reported.push(...figures),
  });
  return [...reported, ...last];
};

/** Upper bounds by row title: milliseconds over the plain table, or a multiple of its time. */
type Goals = Readonly<Record<string, { unit: 'ms' | '×'; atMost: number }>>;

const goals: Goals = {
  'load the file until readable': { unit: '×', atMost: 2.1 },
  'count with a filter': { unit: 'ms', atMost: 8 },
  'top 10, ordered': { unit: 'ms', atMost: 8 },
  'group by text, sum': { unit: '×', atMost: 1 },
  'filter on text and number, as CSV': { unit: '×', atMost: 1 },
  'count of texts that contain a word': { unit: '×', atMost: 1 },
  'all rows as CSV': { unit: '×', atMost: 1 / 0.9 },
  'all rows as JSON': { unit: '×', atMost: 1 / 0.9 },
};

/** Goals for reads from the read copy. */
const copiedGoals: Goals = {
  ...goals,
  'group by text, sum': { unit: '×', atMost: 0.6 },
  'filter on text and number, as CSV': { unit: '×', atMost: 0.6 },
  'count of texts that contain a word': { unit: '×', atMost: 0.6 },
};

const figureOf = (row: Row, of: Goals = goals): Figure => {
  const {
    ms: [ours = Number.NaN, plain = Number.NaN],
  } = row;
  const title = of === goals ? row.title : `${row.title}, from the read copy`;
  const yardstick = { name: 'plain table', value: plain, unit: 'ms' };
  const goal = of[row.title];
  if (goal === undefined) return { name: title, value: ours, unit: 'ms', better: 'lower', yardstick };
  const { unit, atMost } = goal;
  return unit === 'ms'
    ? { name: `${title}, time over plain table`, value: ours - plain, unit, goal: { atMost }, yardstick }
    : { name: `${title}, time vs plain table`, value: ours / plain, unit, goal: { atMost }, yardstick };
};

export const peers: Bench = async (context) => {
  const { quick, pick, say, product: open, defer } = context;
  const machineLoad = loadNow();
  const file = await tableFile(pick(5_000_000, 50_000));
  // The file alone gets no read copy; with one more row it gets one immediately.
  const product = await open({ ...withResultCache, ...readCopiesFrom(file.rows + 1) });
  const plain = await plainClickHouse(product, file, defer);
  const others = [await duckDb(file, defer), await sqliteDatabase(file, defer)];
  const loaded = await load(product, file, { plain, others, turns: pick(3, 1) });
  say(`${file.rows} rows loaded into every database`);
  await untilQuiet(product);
  const databases = [plain, ...others];
  const turns = pick(7, 1);
  const { datasetId } = loaded;
  const timeAll = async (of: readonly Database[]): Promise<Row[]> => {
    const rows: Row[] = [];
    for (const question of questions) {
      const warmUp = pick(question.form === 'values' ? 15 : 2, 1);
      rows.push(await timeQuery(product, question, { datasetId, databases: of, warmUp, turns }));
    }
    return rows;
  };
  const measured = [loaded.row, ...(await timeAll(databases))];
  await untilCopied(product, datasetId, file);
  const copied = await timeAll(databases.slice(0, 2));
  const result: PeersResult = {
    rows: file.rows,
    megabytes: file.bytes / 1e6,
    turns,
    names: ['tabulary', ...databases.map(({ name }) => name)],
    measured,
    copied,
    cpu: medianCpu(loaded.uploads),
    insertCpu: medianCpu(loaded.inserts).clickhouse ?? Number.NaN,
    load: machineLoad,
    reads: await readFigures(context, product),
  };
  if (!quick) writeFileSync(resultPath, renderPeers(result));
  return [...measured.map((row) => figureOf(row)), ...copied.map((row) => figureOf(row, copiedGoals))];
};
