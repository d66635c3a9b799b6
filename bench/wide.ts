import { generateWideRows } from './csv-data.js';
import type { Bench, BenchContext } from './support/bench.js';
import { createDataset, uploadAndWait } from './support/client.js';
import type { Figure } from './support/figure.js';
import { insertAlone } from './support/insert-alone.js';
import { measure, usageFigures } from './support/process-stats.js';
import type { RunningProduct } from './support/product.js';
import { fetchAll, inTurn, queryClickHouse } from './support/requests.js';
import { median } from './support/statistics.js';
import { newestPlace } from './support/stored.js';
import { type CsvStream, repeated } from './support/table-stream.js';

interface Shape {
  readonly columns: number;
  readonly rows: number;
  /** Generated rows, which the file repeats. */
  readonly blockRows: number;
  /** Whether to measure the summary of all columns. */
  readonly summary?: boolean;
}

/** Returns a function that creates another file of the shape. */
const filesOf = ({ columns, rows, blockRows }: Shape): (() => CsvStream) => {
  const header = `${Array.from({ length: columns }, (_, at) => `v${at}`).join(',')}\n`;
  const block = generateWideRows(blockRows, columns);
  return () => repeated(header, block, blockRows, rows / blockRows);
};

const timeSummary = async (
  { baseUrl, authorization }: RunningProduct,
  datasetId: number,
): Promise<number> => {
  const { status, totalMs } = await fetchAll(`${baseUrl}/datasets/${datasetId}/summary`, {
    headers: { authorization },
  });
  if (status !== 200) throw new Error(`the summary answered ${status}`);
  return totalMs;
};

const summaryFigures = async (
  product: RunningProduct,
  datasetId: number,
  title: string,
  turns: number,
): Promise<Figure[]> => {
  const first = await timeSummary(product, datasetId);
  const later = await inTurn(turns, () => timeSummary(product, datasetId));
  return [
    { name: `summary of ${title}, first`, value: first / 1_000, unit: 's', goal: { atMost: 10 } },
    { name: `summary of ${title}, repeated, p50`, value: median(later), unit: 'ms', goal: { atMost: 20 } },
  ];
};

const count = new Intl.NumberFormat('en-US');

const measureShape = async (
  { say, product: open }: Pick<BenchContext, 'say' | 'product'>,
  shape: Shape,
  turns: number,
): Promise<Figure[]> => {
  const product = await open();
  const title = `${count.format(shape.columns)} × ${count.format(shape.rows)}`;
  const nextFile = filesOf(shape);
  const { content, rows, bytes } = nextFile();
  say(`${title}: ${(bytes / 1e6).toFixed(0)} MB`);
  // Wide parts would open several files per column, more than a process may.
  const alone = await insertAlone(product, {
    columns: Array.from({ length: shape.columns }, (_, at) => `v${at} Nullable(Float64)`).join(', '),
    settings: 'min_bytes_for_wide_part = 1000000000000',
    content,
    rows,
  });
  const datasetId = await createDataset(product, `${title} ${Date.now()}`);
  const load = await measure(product, () => uploadAndWait(product, datasetId, nextFile().content));
  if (load.value.rows !== rows) throw new Error(`the upload stored ${load.value.rows} rows`);
  say(`${title}: ClickHouse alone ${alone.toFixed(1)} s, upload ${load.seconds.toFixed(1)} s`);

  const { table, segments, columns } = await newestPlace(product);
  const chosen = [0, 1, 2, 3, shape.columns - 1];
  const query = `$select=${chosen.map((at) => `v${at}`).join(',')}&$skip=0`;
  const pairs = await inTurn(turns, async () => {
    const { status, totalMs } = await fetchAll(`${product.baseUrl}/datasets/${datasetId}/data?${query}`, {
      headers: { authorization: product.authorization },
    });
    if (status !== 200) throw new Error(`the download answered ${status}`);
    const startedAt = performance.now();
    await queryClickHouse(
      product.clickhouseUrl,
      `SELECT ${chosen.map((at) => columns[at]).join(', ')} FROM ${table} WHERE _seg IN (${segments}) ORDER BY _row FORMAT CSVWithNames`,
    );
    return { ours: totalMs, raw: performance.now() - startedAt };
  });
  const summary = shape.summary === true ? await summaryFigures(product, datasetId, title, turns) : [];
  return [
    ...summary,
    {
      name: `load ${title}, time vs ClickHouse alone`,
      value: load.seconds / alone,
      unit: '×',
      better: 'lower',
      yardstick: { name: 'ClickHouse alone', value: alone, unit: 's' },
    },
    { name: `load ${title}`, value: load.seconds, unit: 's', better: 'lower' },
    ...usageFigures(`load ${title}`, load.usage),
    {
      name: `5 columns of ${title}, p50`,
      value: median(pairs.map(({ ours }) => ours)),
      unit: 'ms',
      better: 'lower',
      yardstick: { name: 'raw query, p50', value: median(pairs.map(({ raw }) => raw)), unit: 'ms' },
    },
  ];
};

/** Tables of thousands of columns with the default settings of the product. */
export const wide: Bench = async ({ pick, report, ...context }) => {
  report(
    await measureShape(context, { columns: 5_000, rows: pick(2_000, 500), blockRows: 500 }, pick(15, 3)),
  );
  const rows = pick(100_000, 3_000);
  return measureShape(context, { columns: 1_000, rows, blockRows: rows / 5, summary: true }, pick(15, 3));
};
