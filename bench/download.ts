/**
 * Downloads against the same SELECT straight from ClickHouse over HTTP, in one run and alternating. Ratios are
 * medians of pairs, ours to ClickHouse's throughput: 1 is as fast, above is faster. Then single figures: first
 * byte, answers without rows, sheets against exceljs, memory of the API.
 *
 * BENCH_ROWS (default 5,000,000), BENCH_PAIRS (default 5), BENCH_SHEET_ROWS (default 200,000)
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { PassThrough } from 'node:stream';
import ExcelJs from 'exceljs';
import { createDataset, fileContent, uploadAndWait } from './support/client.js';
import { median, peakMemoryMb, percentile, resetPeakMemory } from './support/process-stats.js';
import { type RunningProduct, startWholeProduct } from './support/product.js';
import { tableFile } from './support/table-file.js';

const rows = Number(process.env.BENCH_ROWS ?? 5_000_000);
const pairs = Number(process.env.BENCH_PAIRS ?? 5);
const sheetRows = Number(process.env.BENCH_SHEET_ROWS ?? 200_000);
const agent = new Agent({ keepAlive: true });

interface Fetched {
  readonly status: number;
  readonly bytes: number;
  readonly firstMs: number;
  readonly totalMs: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const fetchAll = (
  url: string,
  options: { body?: string; headers?: Record<string, string> } = {},
): Promise<Fetched> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const method = options.body === undefined ? 'GET' : 'POST';
    const outgoing = request(url, { method, agent, headers: options.headers ?? {} }, (answer) => {
      let bytes = 0;
      let firstMs = 0;
      answer.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstMs = performance.now() - startedAt;
        bytes += chunk.length;
      });
      answer.once('end', () => {
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, bytes, firstMs, totalMs: performance.now() - startedAt, headers });
      });
      answer.once('error', reject);
    });
    outgoing.once('error', reject);
    outgoing.end(options.body);
  });

interface Table {
  readonly datasetId: number;
  /** Name of the table in ClickHouse, database included. */
  readonly name: string;
  readonly segment: string;
  /** Names of the columns in the store, in order. */
  readonly columns: readonly string[];
}

const ask = async (product: RunningProduct, sql: string): Promise<string> =>
  (await (await fetch(product.clickhouseUrl, { method: 'POST', body: sql })).text()).trim();

const upload = async (
  product: RunningProduct,
  name: string,
  content: AsyncIterable<Buffer>,
): Promise<Table> => {
  const datasetId = await createDataset(product, name);
  await uploadAndWait(product, datasetId, content);
  const [database, table] = (
    await ask(
      product,
      "SELECT database, table FROM system.parts WHERE match(table, '^s[0-9]+$') AND active ORDER BY modification_time DESC LIMIT 1",
    )
  ).split('\t');
  const columns = await ask(
    product,
    `SELECT name FROM system.columns WHERE database = '${database}' AND table = '${table}' AND name LIKE 'c%' ORDER BY position`,
  );
  const segment = await ask(product, `SELECT any(_seg) FROM ${database}.${table}`);
  return { datasetId, name: `${database}.${table}`, segment, columns: columns.split('\n') };
};

interface Comparison {
  readonly ratio: number;
  readonly oursMs: number;
  readonly rawMs: number;
  readonly megabytes: number;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

const compare = async (
  ours: () => Promise<Fetched>,
  raw: () => Promise<Fetched>,
  turns = pairs,
): Promise<Comparison> => {
  const ratios: number[] = [];
  const oursMs: number[] = [];
  const rawMs: number[] = [];
  let bytes = 0;
  await ours();
  await raw();
  for (let turn = 0; turn < turns; turn += 1) {
    const a = await ours();
    const b = await raw();
    if (a.status !== 200 || b.status !== 200) throw new Error(`status ${a.status} and ${b.status}`);
    ratios.push(b.totalMs / b.bytes / (a.totalMs / a.bytes));
    oursMs.push(a.totalMs);
    rawMs.push(b.totalMs);
    bytes = a.bytes;
  }
  return {
    ratio: round(median(ratios)),
    oursMs: round(median(oursMs)),
    rawMs: round(median(rawMs)),
    megabytes: round(bytes / 1e6),
  };
};

const timesOf = async (turns: number, run: () => Promise<Fetched>): Promise<Fetched[]> => {
  const results: Fetched[] = [];
  for (let turn = 0; turn < turns; turn += 1) results.push(await run());
  return results;
};

/** Seconds that exceljs' streaming writer takes for as many rows of the same shape. */
const excelJsSeconds = async (count: number): Promise<number> => {
  const out = new PassThrough();
  out.resume();
  const startedAt = performance.now();
  const workbook = new ExcelJs.stream.xlsx.WorkbookWriter({ stream: out, useStyles: true });
  const sheet = workbook.addWorksheet('Data');
  const style = { numFmt: 'yyyy-mm-dd' };
  for (let row = 0; row < count; row += 1) {
    const added = sheet.addRow([
      new Date(row * 86_400_000),
      'Germany',
      'Unemployment rate',
      row / 7,
      row / 3,
      row,
    ]);
    added.getCell(1).style = style;
    added.commit();
  }
  sheet.commit();
  await workbook.commit();
  return (performance.now() - startedAt) / 1000;
};

const wideColumns = 1_000;

async function* wideRows(count: number): AsyncGenerator<Buffer> {
  const names = Array.from({ length: wideColumns }, (_, index) => `v${index}`);
  yield Buffer.from(`country,${names.join(',')}\n`);
  for (let row = 0; row < count; row += 100) {
    const lines = Array.from({ length: 100 }, (_, index) => {
      const cells = names.map((_, column) => ((row + index) * 31 + column * 17) % 10_007);
      return `Country ${(row + index) % 50},${cells.join(',')}\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

const product = await startWholeProduct();
try {
  const file = await tableFile(rows);
  const table = await upload(product, 'long', fileContent(file.path));
  const wide = await upload(product, 'wide', wideRows(50_000));
  const headers = { authorization: product.authorization };
  const ours =
    (target: Table, query: string, more = {}) =>
    () =>
      fetchAll(`${product.baseUrl}/datasets/${target.datasetId}/data?${query}`, {
        headers: { ...headers, ...more },
      });
  const raw = (target: Table, columns: readonly string[], where: string, format: string) => () =>
    fetchAll(product.clickhouseUrl, {
      body: `SELECT ${columns.join(', ')} FROM ${target.name} WHERE _seg IN (${target.segment})${where} ORDER BY _seg, _row FORMAT ${format} SETTINGS output_format_csv_crlf_end_of_line = 1, output_format_json_array_of_rows = 1`,
    });
  const { columns } = table;
  const filter = `$filter=${encodeURIComponent("country eq 'France' and value gt 500000")}`;
  const where = ` AND ${columns[1]} = 'France' AND ${columns[3]} > 500000`;
  const apiPid = product.pids().api ?? 0;
  resetPeakMemory(apiPid);
  const memoryBefore = peakMemoryMb(apiPid);

  const results = {
    rows,
    'full csv': await compare(ours(table, '$skip=0'), raw(table, columns, '', 'CSVWithNames')),
    'filtered csv': await compare(ours(table, filter), raw(table, columns, where, 'CSVWithNames')),
    'full json': await compare(ours(table, '$format=json'), raw(table, columns, '', 'JSONEachRow')),
    'full tsv': await compare(ours(table, '$format=tsv'), raw(table, columns, '', 'TSVWithNames')),
    parquet: await compare(ours(table, '$format=parquet'), raw(table, columns, '', 'Parquet')),
    '5 of 1,000 columns, filtered': await compare(
      ours(wide, `$select=v1,v2,v3,v4,v5&$filter=${encodeURIComponent("country eq 'Country 7'")}`),
      raw(
        wide,
        [0, 2, 3, 4, 5, 6].map((place) => wide.columns[place]!),
        ` AND ${wide.columns[0]} = 'Country 7'`,
        'CSVWithNames',
      ),
      40,
    ),
  };

  const narrow = await timesOf(
    60,
    ours(wide, `$select=v1,v2,v3,v4,v5&$filter=${encodeURIComponent("country eq 'Country 7'")}`),
  );
  const first = await timesOf(15, ours(table, filter));
  const tag = String((await ours(table, '$format=json&$top=1')()).headers.etag);
  const unchanged = await timesOf(300, ours(table, '$format=json&$top=1', { 'if-none-match': tag }));
  const one = await ours(table, filter)();
  const fiftyStart = performance.now();
  await Promise.all(Array.from({ length: 50 }, ours(table, filter)));
  const fiftyMs = performance.now() - fiftyStart;
  const sheet = await ours(table, `$format=xlsx&$top=${sheetRows}`)();
  const excelJs = await excelJsSeconds(sheetRows);

  const figures = {
    ...results,
    '5 of 1,000 columns p95 ms': round(
      percentile(
        narrow.map(({ totalMs }) => totalMs),
        0.95,
      ),
    ),
    'first byte filtered, median ms': round(median(first.map(({ firstMs }) => firstMs))),
    '304 p99 ms': round(
      percentile(
        unchanged.map(({ totalMs }) => totalMs),
        0.99,
      ),
    ),
    '50 at once against 50 in turn': round((one.totalMs * 50) / fiftyMs),
    sheet: {
      rows: sheetRows,
      seconds: round(sheet.totalMs / 1000),
      excelJsSeconds: round(excelJs),
      times: round(excelJs / (sheet.totalMs / 1000)),
    },
    'API memory MB': { before: memoryBefore, peak: peakMemoryMb(apiPid) },
  };
  console.log(JSON.stringify(figures, null, 2));
  mkdirSync('bench/results', { recursive: true });
  writeFileSync(
    'bench/results/download.json',
    `${JSON.stringify({ ...figures, at: new Date().toISOString() }, null, 2)}\n`,
  );
} finally {
  agent.destroy();
  await product.stop();
}
