/** OData pages compared with the same pages as JSON, and a large table read page by page. */
import { csvHeader, generateRows } from './csv-data.js';
import type { Bench, BenchContext } from './support/bench.js';
import type { Figure } from './support/figure.js';
import type { RunningProduct } from './support/product.js';
import { fetchAll, inTurn } from './support/requests.js';
import { median } from './support/statistics.js';
import { storeTable } from './support/stored.js';

const pageRows = 10_000;

/** Generates the usual bench table in pieces. */
async function* tableRows(count: number): AsyncGenerator<Buffer> {
  const piece = generateRows(50_000);
  yield Buffer.from(csvHeader);
  for (let from = 0; from < count; from += 50_000) yield piece;
}

const pageFigure = async (
  { baseUrl, authorization }: RunningProduct,
  datasetId: number,
  turns: number,
): Promise<Figure> => {
  const odata = `${baseUrl}/odata/datasets/${datasetId}/Rows?$skip=${pageRows}`;
  const json = `${baseUrl}/datasets/${datasetId}/data?$format=json&$pagesize=${pageRows}&$skip=${pageRows}`;
  const read = async (address: string): Promise<number> => {
    const { status, totalMs } = await fetchAll(address, {
      headers: { authorization, prefer: `odata.maxpagesize=${pageRows}` },
    });
    if (status !== 200) throw new Error(`${address} answered ${status}`);
    return totalMs;
  };
  await inTurn(turns, async () => [await read(odata), await read(json)]);
  const pairs = await inTurn(turns, async () => ({ odata: await read(odata), json: await read(json) }));
  return {
    name: `page of ${pageRows} rows, time vs JSON`,
    value: median(pairs.map((pair) => pair.odata / pair.json)),
    unit: '×',
    goal: { atMost: 1.3 },
    yardstick: { name: 'JSON', value: median(pairs.map(({ json }) => json)), unit: 'ms' },
  };
};

interface Page {
  readonly value: readonly unknown[];
  readonly '@odata.nextLink'?: string;
}

/** Reads all pages; `times` are the milliseconds of each. */
const pagesOf = async (
  { authorization }: RunningProduct,
  first: string,
): Promise<{ times: readonly number[]; rows: number }> => {
  const times: number[] = [];
  let rows = 0;
  for (let address: string | undefined = first; address !== undefined; ) {
    const startedAt = performance.now();
    const response: Response = await fetch(address, { headers: { authorization } });
    if (!response.ok) throw new Error(`page ${times.length + 1} answered ${response.status}`);
    const text = await response.text();
    times.push(performance.now() - startedAt);
    const page = JSON.parse(text) as Page;
    rows += page.value.length;
    address = page['@odata.nextLink'];
  }
  return { times, rows };
};

const walkFigures = async (
  product: RunningProduct,
  { datasetId, count, how, query }: { datasetId: number; count: number; how: string; query: string },
  say: BenchContext['say'],
): Promise<Figure[]> => {
  const address = `${product.baseUrl}/odata/datasets/${datasetId}/Rows${query}`;
  const { authorization } = product;
  const firsts = await inTurn(
    5,
    async () => (await fetchAll(address, { headers: { authorization } })).totalMs,
  );
  const { times, rows } = await pagesOf(product, address);
  if (rows !== count) throw new Error(`the pages have ${rows} rows of ${count}`);
  say(`${how}: ${times.length} pages`);
  const first = median(firsts);
  return [
    {
      name: `slowest page of the whole table ${how}, time vs first page`,
      value: Math.max(...times) / first,
      unit: '×',
      goal: { atMost: 3 },
      yardstick: { name: 'first page', value: first, unit: 'ms' },
    },
    {
      name: `the whole table ${how}, page by page`,
      value: times.reduce((sum, ms) => sum + ms, 0) / 1_000,
      unit: 's',
      better: 'lower',
    },
  ];
};

export const odata: Bench = async ({ pick, say, report, product: open }) => {
  const product = await open();
  const count = pick(5_000_000, 100_000);
  const { datasetId } = await storeTable(product, 'odata', tableRows(count));
  say(`${count} rows uploaded`);
  report([await pageFigure(product, datasetId, pick(40, 3))]);
  const inOrder = await walkFigures(product, { datasetId, count, how: 'in stored order', query: '' }, say);
  report(inOrder);
  return [];
};
