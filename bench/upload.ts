/**
 * Uploads against ClickHouse alone, in one run and alternating: (a) the file in one `INSERT … FORMAT CSV`
 * straight into ClickHouse, (b) our upload, from the first byte sent until the process is completed. Ratios are
 * medians of pairs. Then short uploads one after the other on the idle service.
 *
 * BENCH_ROWS (default 5,000,000), BENCH_PAIRS (default 3), BENCH_SHORT (default 200)
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createDataset, fileContent, send, uploadAndWait } from './support/client.js';
import {
  cpuOf,
  difference,
  median,
  peakMemoryMb,
  percentile,
  resetPeakMemory,
} from './support/process-stats.js';
import { type RunningProduct, startWholeProduct } from './support/product.js';
import { type TableFile, tableColumns, tableFile } from './support/table-file.js';

const rows = Number(process.env.BENCH_ROWS ?? 5_000_000);
const pairs = Number(process.env.BENCH_PAIRS ?? 3);
const shortUploads = Number(process.env.BENCH_SHORT ?? 200);

const statement = (product: RunningProduct, sql: string): Promise<Response> =>
  fetch(product.clickhouseUrl, { method: 'POST', body: sql });

/** Seconds for the file in one request straight into ClickHouse. */
const insertAlone = async (product: RunningProduct, file: TableFile): Promise<number> => {
  await statement(product, 'DROP TABLE IF EXISTS default.yardstick SYNC');
  await statement(
    product,
    `CREATE TABLE default.yardstick (${tableColumns}) ENGINE = MergeTree ORDER BY tuple()`,
  );
  const url = `${product.clickhouseUrl}/?query=${encodeURIComponent('INSERT INTO default.yardstick FORMAT CSVWithNames')}`;
  const startedAt = performance.now();
  await send('POST', url, {}, fileContent(file.path) as Readable);
  const seconds = (performance.now() - startedAt) / 1000;
  const count = await (await statement(product, 'SELECT count() FROM default.yardstick')).text();
  if (Number(count) !== file.rows) throw new Error(`the yardstick holds ${count.trim()} rows`);
  await statement(product, 'DROP TABLE default.yardstick SYNC');
  return seconds;
};

const uploadOnce = async (product: RunningProduct, file: TableFile, name: string) => {
  const datasetId = await createDataset(product, name);
  const pids = product.pids();
  const before = cpuOf(pids);
  const startedAt = performance.now();
  const result = await uploadAndWait(product, datasetId, fileContent(file.path));
  const seconds = (performance.now() - startedAt) / 1000;
  if (result.rows !== file.rows) throw new Error(`the upload stored ${result.rows} rows`);
  return { seconds, cpu: difference(cpuOf(pids), before) };
};

const shortLatencies = async (product: RunningProduct, name: string, turns: number): Promise<number[]> => {
  const datasetId = await createDataset(product, name);
  const lines = Array.from(
    { length: 1000 },
    (_, row) => `2020-01-${String((row % 28) + 1).padStart(2, '0')},Region ${row % 9},${row}.25`,
  );
  const content = Buffer.from(`date,region,value\n${lines.join('\n')}\n`);
  const latencies: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const startedAt = performance.now();
    await uploadAndWait(product, datasetId, Readable.from([content]));
    latencies.push(performance.now() - startedAt);
  }
  return latencies;
};

const round = (value: number): number => Math.round(value * 100) / 100;

const file = await tableFile(rows);
const product = await startWholeProduct();
try {
  // Once unmeasured, so that no code and no connection is cold.
  await shortLatencies(product, 'warm-up', 30);
  const latencies = await shortLatencies(product, 'short uploads', shortUploads);
  const { api = 0, worker = 0 } = product.pids();
  for (const pid of [api, worker]) resetPeakMemory(pid);
  const measured: { alone: number; upload: number; ratio: number; cpu: Record<string, number> }[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const alone = await insertAlone(product, file);
    const { seconds, cpu } = await uploadOnce(product, file, `pair ${pair}`);
    measured.push({ alone: round(alone), upload: round(seconds), ratio: round(seconds / alone), cpu });
    console.log(measured.at(-1));
  }
  const result = {
    rows: file.rows,
    bytes: file.bytes,
    node: process.version,
    pairs: measured,
    ratio: median(measured.map((pair) => pair.ratio)),
    peakMemoryMb: { api: peakMemoryMb(api), worker: peakMemoryMb(worker) },
    shortUploadMs: { p50: round(percentile(latencies, 0.5)), p95: round(percentile(latencies, 0.95)) },
  };
  console.log(JSON.stringify(result, null, 2));
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/upload.json', `${JSON.stringify(result, null, 2)}\n`);
} finally {
  await product.stop();
}
