/** Two ClickHouse servers become three while the product, which is not restarted, uploads, reads and compacts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { type ChangingCluster, startChangingCluster } from '../../support/clickhouse-shards.js';
import { authorization, type Client, createDataset, ended } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { putPatiently } from '../../support/upload-options.js';

const scope = createScope(silentLog);

let configure: ChangingCluster['configure'];
let nodes: ChangingCluster['nodes'];
let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  const cluster = await startChangingCluster(scope);
  ({ configure, nodes } = cluster);
  await configure(1, 1);
  product = await startProduct({
    clickhouseUrl: cluster.access.clickhouseUrl ?? '',
    clickhouseCluster: cluster.access.clickhouseCluster ?? '',
    firstChunkBytes: '4096',
    chunkBytes: '16384',
    poolMaxRows: '300',
    spreadMinBytes: '60000',
    segmentGraceMs: '1000',
    sweepIntervalMs: '2000',
  });
  owner = await product.createAccount('owner');
});

afterAll(async () => {
  await product?.close();
  await scope.close();
});

const linesOf = (rows: number, from: number): string =>
  Array.from({ length: rows }, (_, at) => `${from + at},"text ${from + at}"`).join('\n');
const fileOf = (rows: number, from: number): string => `"row","text"\n${linesOf(rows, from)}\n`;

const send = async (dataset: number, file: string, mode = 'replace'): Promise<void> => {
  const process = await ended(owner, await putPatiently(owner, dataset, file, { mode }));
  expect(process.status, JSON.stringify(process.error)).toBe('completed');
};

/** Compares texts; reports the first different line instead of the whole text. */
const expectSame = (found: string | undefined, wanted: string): void => {
  const lines = wanted.split('\n');
  const wrong = found?.split('\n').findIndex((line, at) => line !== lines[at]);
  expect([found?.length, wrong]).toEqual([wanted.length, -1]);
};

interface Answer {
  readonly status: number;
  /** Undefined if the read was refused or aborted. */
  readonly text: string | undefined;
}

const read = async (dataset: number): Promise<Answer> => {
  const answer = await fetch(`${owner.baseUrl}/datasets/${dataset}/data?$filter=row ge 0`, {
    headers: authorization(owner.key),
  });
  const text = await answer.text().then(
    (all) => all.replaceAll('\r\n', '\n'),
    () => undefined,
  );
  expect([200, 503], text).toContain(answer.status);
  return { status: answer.status, text: answer.ok ? text : undefined };
};

const placeOf = async (dataset: number): Promise<{ store: number; shard: number | null }> => {
  const [row] = await product.sql.query<{ store: number; shard: number | null }>(
    'SELECT s.id AS store, CASE WHEN NOT s.everywhere THEN s.shard END AS shard FROM datasets d JOIN stores s ON s.id = d.store_id WHERE d.id = $1',
    [dataset],
  );
  if (row === undefined) throw new Error(`dataset ${dataset} has no store`);
  return row;
};

const rowsOn = (store: number): Promise<number[]> =>
  Promise.all(
    nodes.map(async (node) => {
      const [row] = await node.rows<{ n: string }>(
        `SELECT toString(sum(rows)) AS n FROM system.parts
         WHERE active AND database = {database:String} AND table = {table:String}`,
        { params: { database: product.config.clickhouseDatabase, table: `s${store}` } },
      );
      return Number(row?.n ?? 0);
    }),
  );

describe('two shards that become three', () => {
  const contents = new Map<number, Set<string>>();
  let large = 0;

  it('return complete answers or 503 while a shard is added during uploads, reads and compaction', async () => {
    large = await createDataset(owner);
    const growing = await createDataset(owner);
    const small = await createDataset(owner);
    await send(large, fileOf(5_000, 0));
    await send(growing, fileOf(3_000, 0));
    await send(small, fileOf(20, 0));
    expect((await placeOf(large)).shard).toBeNull();
    contents.set(large, new Set([fileOf(5_000, 0)]));
    contents.set(growing, new Set([fileOf(3_000, 0)]));
    contents.set(small, new Set([fileOf(20, 0)]));

    let isDone = false;
    let rows = 3_000;
    const uploads = (async () => {
      for (let turn = 1; !isDone; turn += 1) {
        contents.get(growing)?.add(fileOf(rows + 700, 0));
        await send(growing, fileOf(700, rows), 'append');
        rows += 700;
        contents.get(large)?.add(fileOf(5_000, turn));
        await send(large, fileOf(5_000, turn));
        contents.get(small)?.add(fileOf(20, turn));
        await send(small, fileOf(20, turn));
      }
    })();
    let whole = 0;
    const reads = (async () => {
      while (!isDone)
        for (const [dataset, texts] of contents) {
          const { text } = await read(dataset);
          if (text === undefined) continue;
          whole += 1;
          expect(texts.has(text), `dataset ${dataset}: ${text.length} characters`).toBe(true);
        }
    })();
    const running = Promise.all([uploads, reads]);
    await Promise.race([running, configure(1, 1, 1)]);
    // Reads succeed again after one retry.
    for (const dataset of contents.keys())
      await expect.poll(async () => (await read(dataset)).status).toBe(200);
    const before = whole;
    await Promise.race([running, expect.poll(() => whole).toBeGreaterThan(before + 10)]);
    isDone = true;
    await running;
    expectSame((await read(growing)).text, fileOf(rows, 0));
  });

  it('store chunks and datasets on the new shard by weight, and still read earlier data', async () => {
    await send(large, fileOf(6_000, 0));
    const stored = await rowsOn((await placeOf(large)).store);
    expect(stored.every((rows) => rows > 0)).toBe(true);
    const homes = new Set<number | null>();
    // A shard that was just restarted may have been down at the last check.
    const addHome = async () => [...homes.add((await placeOf(await createDataset(owner))).shard)].sort();
    await expect.poll(addHome).toEqual([1, 2, 3]);
    expectSame((await read(large)).text, fileOf(6_000, 0));
  });

  it('store nothing new on a shard of weight 0, and still read it', async () => {
    await configure(1, 0, 1);
    const { store } = await placeOf(large);
    // Waits until the product has read the new weight.
    await expect.poll(async () => (await placeOf(await createDataset(owner))).shard !== 2).toBe(true);
    await sleep(10_500);
    const before = await rowsOn(store);
    expectSame((await read(large)).text, fileOf(6_000, 0));
    await send(large, fileOf(4_000, 6_000), 'append');
    const after = await rowsOn(store);
    expect(after[1]).toBeLessThanOrEqual(before[1] ?? 0);
    expect((after[0] ?? 0) + (after[2] ?? 0)).toBeGreaterThan((before[0] ?? 0) + (before[2] ?? 0));
    expectSame((await read(large)).text, fileOf(10_000, 0));
  });
});
