import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../../src/embedded/components.js';
import { silentLog } from '../../src/lib/log.js';
import { createScope } from '../../src/lib/scope.js';
import { authorization, type Client, createDataset, ended } from '../support/datasets.js';
import { startProduct, type TestProduct } from '../support/product.js';
import { putPatiently } from '../support/upload-options.js';

const folder = mkdtempSync(join(tmpdir(), 'tabulary-clickhouse-nodes-'));
const scope = createScope(silentLog);
const need = { postgres: false, kafka: false, clickhouse: true };

let embedded: Embedded;
let product: TestProduct;
let owner: Client;
/** Past and pending contents of each dataset. */
const sent = new Map<number, Set<string>>();
/** Latest content of each dataset. */
const last = new Map<number, string>();

beforeAll(async () => {
  embedded = await startEmbedded({ dataDir: folder, need, clickhouseNodes: 3, log: silentLog, scope });
  product = await startProduct({
    ...embedded.access,
    poolMaxRows: '300',
    firstChunkBytes: '4096',
    chunkBytes: '16384',
    segmentGraceMs: '1000',
    sweepIntervalMs: '1000',
  });
  owner = await product.createAccount('owner');
});

afterAll(async () => {
  await product?.close();
  await scope.close();
  rmSync(folder, { recursive: true, force: true });
});

const fileOf = (rows: number, mark: number): string =>
  `"mark","row","text"\n${Array.from({ length: rows }, (_, row) => `${mark},${row},"text ${mark}/${row}"`).join('\n')}\n`;

/** Downloads a dataset; returns undefined if the download was refused or cut off. */
const read = async (dataset: number): Promise<string | undefined> => {
  const answer = await fetch(`${owner.baseUrl}/datasets/${dataset}/data?$filter=row ge 0`, {
    headers: authorization(owner.key),
  });
  if (!answer.ok) {
    expect(answer.status).toBe(503);
    await answer.arrayBuffer();
    return undefined;
  }
  // A truncated body rejects.
  return answer.text().then(
    (text) => text.replaceAll('\r\n', '\n'),
    () => undefined,
  );
};

const readWhole = async (dataset: number): Promise<string> => {
  for (;;) {
    const text = await read(dataset);
    if (text !== undefined) return text;
    await sleep(200);
  }
};

/** Reads all datasets repeatedly until `stop` is aborted; returns the number of complete downloads. */
const readAll = async (stop: AbortSignal): Promise<number> => {
  let whole = 0;
  while (!stop.aborted)
    for (const [dataset, contents] of sent) {
      const text = await read(dataset);
      if (text === undefined) continue;
      whole += 1;
      expect(contents.has(text), `dataset ${dataset}: ${text.length} characters`).toBe(true);
    }
  return whole;
};

const replace = async (dataset: number, file: string): Promise<void> => {
  sent.set(dataset, (sent.get(dataset) ?? new Set()).add(file));
  const done = await ended(owner, await putPatiently(owner, dataset, file, {}));
  expect(done.status, JSON.stringify(done.error)).toBe('completed');
  last.set(dataset, file);
};

const expectLast = async (): Promise<void> => {
  for (const [dataset, file] of last) expect(await readWhole(dataset)).toBe(file);
};

describe('three ClickHouse servers', () => {
  it('lose, duplicate and truncate no rows when each server is killed during uploads', {
    timeout: 900_000,
  }, async () => {
    const datasets = await Promise.all(Array.from({ length: 10 }, () => createDataset(owner)));
    for (const [at, dataset] of datasets.entries()) await replace(dataset, fileOf(at < 6 ? 50 : 4_000, at));
    const reading = new AbortController();
    const reads = readAll(reading.signal);
    for (const [node, pid] of embedded.clickhousePids().entries()) {
      const uploads = datasets.flatMap((dataset, at) =>
        at % 2 === node % 2 ? [replace(dataset, fileOf(at < 6 ? 60 : 5_000, 100 * (node + 1) + at))] : [],
      );
      await sleep(150);
      process.kill(pid ?? 0, 'SIGKILL');
      await Promise.all(uploads);
      while ([undefined, pid].includes(embedded.clickhousePids()[node])) await sleep(50);
    }
    reading.abort();
    expect(await reads).toBeGreaterThan(0);
    await expectLast();
  });
});
