/** Kills three ClickHouse servers in turn during uploads: no file is lost, duplicated or truncated. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../../src/embedded/components.js';
import { silentLog } from '../../src/lib/log.js';
import { createScope } from '../../src/lib/scope.js';
import { type Client, call, createDataset, ended, type ProcessAnswer } from '../support/datasets.js';
import { startProduct, type TestProduct } from '../support/product.js';
import { putWith } from '../support/upload-options.js';

const dataDir = mkdtempSync(join(tmpdir(), 'tabulary-shards-long-'));
const scope = createScope(silentLog);
const need = { postgres: false, kafka: false, clickhouse: true };
const uploads = 50;
const kills = 4;

let embedded: Embedded;
let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  embedded = await startEmbedded({ dataDir, need, clickhouseNodes: 3, log: silentLog, scope });
  const { clickhouseUrl = '', clickhouseCluster = '', clickhouseNodeUrls = '' } = embedded.access;
  product = await startProduct({
    clickhouseUrl,
    clickhouseCluster,
    clickhouseNodeUrls,
    firstChunkBytes: '4096',
    chunkBytes: '16384',
    poolMaxRows: '500',
    spreadMinBytes: '50000',
  });
  owner = await product.createAccount('owner');
});

afterAll(async () => {
  await product?.close();
  await scope.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Retries after 503 and broken connections, as clients do. */
const persist = async (send: () => Promise<Response>, status: number): Promise<string> => {
  for (;;) {
    const answer = await send().catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    if (answer?.status === status && text !== undefined) return text;
    if (answer !== undefined && text !== undefined) expect(answer.status, text).toBe(503);
    await sleep(200);
  }
};

const linesOf = (upload: number): string[] =>
  Array.from({ length: upload % 5 === 0 ? 2_000 : 40 }, (_, row) => `${upload},${row},"row ${row}"`);

/** Checks that every complete response has the rows of some version. */
const readers = (dataset: number, counts: ReadonlySet<number>, done: () => boolean) => async () => {
  while (!done()) {
    const text = await persist(() => call(owner, 'GET', `/datasets/${dataset}/data?$skip=0`), 200);
    expect([...counts], 'rows of a version').toContain(text.trim().split(/\r?\n/).length - 1);
    await sleep(50);
  }
};

it('loses, duplicates and truncates nothing while its servers are killed', async () => {
  const datasets: number[] = [];
  for (let at = 0; at < 5; at += 1) datasets.push(await createDataset(owner));
  const expected = new Map<number, string[]>(datasets.map((dataset) => [dataset, []]));
  const counts = new Map(datasets.map((dataset) => [dataset, new Set<number>()]));
  const send = async (upload: number): Promise<void> => {
    // Every fifth dataset gets the long files and is soon spread.
    const dataset = datasets[upload % datasets.length] as number;
    const lines = linesOf(upload);
    const all = [...(expected.get(dataset) ?? []), ...lines];
    expected.set(dataset, all);
    counts.get(dataset)?.add(all.length);
    const file = `upload,row,text\n${lines.join('\n')}\n`;
    const sent = JSON.parse(
      await persist(() => putWith(owner, dataset, file, { mode: 'append' }), 201),
    ) as ProcessAnswer;
    expect(await ended(owner, sent)).toMatchObject({ status: 'completed', error: null, rows: lines.length });
  };
  for (const upload of datasets.keys()) await send(upload);

  let isDone = false;
  const reading = datasets.map((dataset) =>
    readers(dataset, counts.get(dataset) ?? new Set(), () => isDone)(),
  );
  const killing = (async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      await sleep(3_000);
      const pid = embedded.clickhousePids()[kill % 3];
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    }
  })();
  // One upload at a time per dataset, so that appends keep their order.
  const sending = datasets.map(async (_, topic) => {
    for (let upload = datasets.length + topic; upload < uploads; upload += datasets.length)
      await send(upload);
  });
  await Promise.all([...sending, killing]);
  isDone = true;
  await Promise.all(reading);

  for (const dataset of datasets) {
    const text = await persist(() => call(owner, 'GET', `/datasets/${dataset}/data?$skip=0`), 200);
    expect(text.replaceAll('\r\n', '\n')).toBe(
      `"upload","row","text"\n${(expected.get(dataset) ?? []).join('\n')}\n`,
    );
  }
  const spread = await product.sql.query('SELECT 1 FROM stores WHERE everywhere');
  expect(spread.length).toBeGreaterThan(0);
}, 900_000);
