/** A client that disconnects at any moment of any request leaves no permit in use. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../harness/random.js';
import { partHead } from '../../integration/hostile/raw-upload.js';
import { call, createDataset, json, upload } from '../../support/datasets.js';
import { readMetrics } from '../../support/metrics-text.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let silent: Server;
let key: string;
let datasetId: number;
let versions: readonly string[] = [];

const table = (from: number): string =>
  `k,v,note\n${Array.from({ length: 40_000 }, (_, row) => `${row + from},${row}.5,note ${row}`).join('\n')}\n`;

beforeAll(async () => {
  // A provider that never answers.
  silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  product = await startProduct({ providerUrls: `bankofcanada=http://127.0.0.1:${port}` });
  ({ key } = await product.createAccount('hasty'));
  const client = { baseUrl: product.baseUrl, key };
  datasetId = await createDataset(client);
  const ids = [await upload(client, datasetId, table(0)), await upload(client, datasetId, table(20_000))];
  versions = ids.map(({ versionId }) => versionId ?? '');
  await json(await call(client, 'GET', `/datasets/${datasetId}/summary`));
});

afterAll(async () => {
  await product?.close();
  silent?.closeAllConnections();
  silent?.close();
});

const send = (method: string, path: string, rest = '\r\n'): Socket => {
  const { hostname, port, pathname, search } = new URL(`${product.baseUrl}${path}`);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => socket.destroy());
  const account = Buffer.from(`${key}:`).toString('base64');
  socket.write(
    `${method} ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${account}\r\n${rest}`,
  );
  return socket;
};

const jsonBody = (text: string, length = text.length): string =>
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${text}`;

const assistant = (name: string, args: object): Socket => {
  const params = { name, arguments: args };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  // Paths are below /api.
  return send('POST', '/../mcp', `Accept: application/json, text/event-stream\r\n${jsonBody(message)}`);
};

const requests = (): readonly (readonly [name: string, open: () => Socket])[] => {
  const dataset = `/datasets/${datasetId}`;
  const [from, to] = versions;
  const get = (path: string) => (): Socket => send('GET', path);
  return [
    ['a comparison', get(`${dataset}/versions/${from}/diff/${to}`)],
    ['rows of a comparison', get(`${dataset}/versions/${from}/diff/${to}/rows`)],
    ['rows as CSV', get(`${dataset}/data?$skip=0`)],
    ['rows as JSON', get(`${dataset}/data?$format=json&$top=30000`)],
    ['a workbook', get(`${dataset}/data?$format=xlsx`)],
    ['transposed rows', get(`${dataset}/data?transpose=true&$skip=0`)],
    ['groups', get(`${dataset}/data?$apply=groupby((note),aggregate(v%20with%20sum%20as%20total))`)],
    ['a count', get(`${dataset}/data?$count=true&$filter=contains(note,%279%27)`)],
    ['a filtered summary', get(`${dataset}/summary?$filter=v%20gt%2010`)],
    ['values of a column', get(`${dataset}/columns/note/values`)],
    ['a link', get(`${dataset}/data`)],
    ['a dataset', get(dataset)],
    ['half a body', () => send('POST', `${dataset}/query`, jsonBody('{"$top"', 900))],
    ['a query in a body', () => send('POST', `${dataset}/query`, jsonBody('{"$skip":1}'))],
    ['a series of a provider that does not answer', get('/providers/bankofcanada/series/FXUSDCAD')],
    ["an assistant's query", () => assistant('query_dataset', { datasetId, top: 500 })],
    ["an assistant's description", () => assistant('describe_dataset', { datasetId })],
    ["an assistant's comparison", () => assistant('compare_versions', { datasetId, from, to })],
    [
      "an assistant's preview of that series",
      () => assistant('preview_series', { provider: 'bankofcanada', seriesId: 'FXUSDCAD' }),
    ],
    [
      'half a file',
      () =>
        send(
          'PUT',
          `${dataset}/data`,
          `Content-Type: multipart/form-data; boundary=raw-81c2\r\nContent-Length: 90000\r\n\r\n${partHead}a,b\n`,
        ),
    ],
  ];
};

interface PermitsInUse {
  readonly kind: string | undefined;
  readonly state: string | undefined;
  readonly value: number;
}

const permitsInUse = async (): Promise<PermitsInUse[]> => {
  const { samples } = await readMetrics(product.baseUrl.replace(/\/api$/, ''));
  return samples
    .filter(({ name, value }) => name === 'tabulary_permits' && value > 0)
    .map(({ labels, value }) => ({ kind: labels.kind, state: labels.state, value }));
};

it('disconnects at random moments leave no permit in use', async () => {
  const random = createRandom(20_261);
  const kinds = requests();
  const seen = new Set<string | undefined>();
  // Otherwise the test would prove nothing.
  const isEachSeen = (): boolean => ['requests', 'queries'].every((kind) => seen.has(kind));
  const one = async (line: number): Promise<void> => {
    for (let turn = 0; turn < 8 || !isEachSeen(); turn += 1) {
      const [, open] = kinds[(line + turn * 3) % kinds.length] ?? [];
      const socket = open?.();
      // Half of the clients read the answer, so that it may finish.
      if (random.chance(0.5)) socket?.resume();
      await sleep(random.between(1, 400));
      socket?.destroy();
    }
  };
  let done = false;
  const sampling = (async () => {
    while (!done) {
      for (const { kind } of await permitsInUse()) seen.add(kind);
      await sleep(50);
    }
  })();
  await Promise.all([...kinds.keys()].flatMap((line) => [one(line), one(line + 1)]));
  done = true;
  await sampling;
  await expect.poll(permitsInUse).toEqual([]);
});

it.each([
  ['half a body', 'requests'],
  ['half a file', 'uploads'],
  ['a series of a provider that does not answer', 'calls'],
  ["an assistant's preview of that series", 'calls'],
])('%s holds one permit until its client disconnects', async (name, kind) => {
  const socket = requests().find(([each]) => each === name)?.[1]();
  await expect.poll(permitsInUse).toEqual([expect.objectContaining({ kind })]);
  socket?.destroy();
  await expect.poll(permitsInUse).toEqual([]);
});
