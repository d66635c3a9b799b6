/** MCP tool calls compared with requests for the same rows. */
import type { Bench } from './support/bench.js';
import { createDataset, uploadAndWait } from './support/client.js';
import type { Figure } from './support/figure.js';
import type { RunningProduct } from './support/product.js';
import { type Fetched, fetchAll, inTurn } from './support/requests.js';
import { median } from './support/statistics.js';
import { download } from './support/stored.js';

async function* rows(count: number): AsyncGenerator<Buffer> {
  yield Buffer.from('country,day,value,exact\n');
  const lines = Array.from({ length: count }, (_, row) => {
    const day = new Date(Date.UTC(2000, 0, 1 + (row % 7_300))).toISOString().slice(0, 10);
    return `C${row % 200},${day},${row / 4},12345678901234567890123456${row}.25\n`;
  });
  yield Buffer.from(lines.join(''));
}

const callTool =
  ({ baseUrl, authorization }: RunningProduct, name: string, args: object) =>
  (): Promise<Fetched> =>
    fetchAll(new URL('/mcp', baseUrl).href, {
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
      headers: {
        authorization,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    });

export const assistants: Bench = async ({ pick, product: open }) => {
  const product = await open();
  const datasetId = await createDataset(product, 'assistants');
  await uploadAndWait(product, datasetId, rows(pick(1_000_000, 20_000)));
  const turns = pick(101, 5);
  const figureOf = async (title: string, args: object, query: string): Promise<Figure> => {
    // Other rows each time, so that nothing comes from a cache.
    const pairOf = async (turn: number) => ({
      ours: await callTool(product, 'query_dataset', { datasetId, ...args, skip: turn })(),
      plain: await download(product, { datasetId }, `${query}&$skip=${turn}`)(),
    });
    await pairOf(turns);
    const pairs = await inTurn(turns, pairOf);
    // A tool error is a 200 response as well, but short.
    if (pairs.some(({ ours, plain }) => plain.status !== 200 || ours.bytes < plain.bytes / 2))
      throw new Error(`${title}: a call failed`);
    return {
      name: `${title} by MCP, time vs download`,
      value: median(pairs.map((pair) => pair.ours.totalMs / pair.plain.totalMs)),
      unit: '×',
      better: 'lower',
      yardstick: {
        name: 'the same rows as JSON',
        value: median(pairs.map((pair) => pair.plain.totalMs)),
        unit: 'ms',
      },
    };
  };
  return [
    await figureOf(
      '100 rows',
      { filter: "country eq 'C7'" },
      '$format=json&$top=100&$filter=country%20eq%20%27C7%27',
    ),
    await figureOf(
      'sums of 200 groups',
      { apply: 'groupby((country),aggregate(value with sum as S))', top: 500 },
      '$format=json&$top=500&$apply=groupby((country),aggregate(value%20with%20sum%20as%20S))',
    ),
  ];
};
