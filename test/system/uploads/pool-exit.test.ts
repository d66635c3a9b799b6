/** Short appends that are queued behind the one with which a dataset leaves its pool. */
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openUpload, partHead } from '../../integration/hostile/raw-upload.js';
import {
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  readDataset,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { recordSql } from '../../support/records.js';
import { type Options, putWith, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '40',
    firstChunkBytes: '4096',
    chunkBytes: '4096',
    sweepIntervalMs: '200',
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
  });
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('ada')).key };
});

afterAll(() => product?.close());

const day = (at: number): string => new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10);
const rowsFrom = (first: number, count: number): string =>
  `day,k,v\n${Array.from({ length: count }, (_, at) => `${day(first + at)},key ${first + at},${first + at}.25\n`).join('')}`;
const lines = (first: number, count: number): string =>
  Array.from(
    { length: count },
    (_, at) => `"${day(first + at)}","key ${first + at}",${first + at}.25\n`,
  ).join('');
const shown = (count: number): string => `"day","k","v"\n${lines(0, count)}`;

/** Creates a dataset that just fits into a pool. */
const smallDataset = async (): Promise<number> => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, rowsFrom(0, 38), {});
  return dataset;
};

/** Starts an upload that does not finish, so that later ones are queued behind it. */
const blockQueue = async (dataset: number): Promise<Socket> => {
  const socket = await openUpload(owner, dataset, 1_000_000);
  socket.write(`${partHead}${rowsFrom(0, 500)}`);
  const accepted = async (): Promise<number> =>
    (
      await product.sql.query(`SELECT 1 FROM processes WHERE dataset_id = $1 AND status = 'pending'`, [
        dataset,
      ])
    ).length;
  await expect.poll(accepted).toBe(1);
  return socket;
};

const send = async (dataset: number, content: string, options: Options = {}): Promise<ProcessAnswer> =>
  json<ProcessAnswer>(await putWith(owner, dataset, content, { mode: 'append', ...options }), 201);

/** Blocks the queue and adds an append that makes the dataset too large for a pool: 50 rows. */
const blockPoolExit = async (dataset: number): Promise<Socket> => {
  const socket = await blockQueue(dataset);
  await send(dataset, rowsFrom(38, 12));
  return socket;
};

interface Row {
  readonly id: number;
  readonly phase: string;
  readonly changes: { readonly inserted: number } | null;
}

const rowsOf = (sent: readonly ProcessAnswer[]): Promise<Row[]> =>
  product.sql.query<Row>('SELECT id, phase, changes FROM processes WHERE id = ANY ($1) ORDER BY id', [
    sent.map(({ id }) => id),
  ]);

const allStored = async (sent: readonly ProcessAnswer[]): Promise<void> => {
  const ready = async (): Promise<number> =>
    (await rowsOf(sent)).filter(({ phase }) => phase === 'ready').length;
  await expect.poll(ready).toBe(sent.length);
};

describe('appends after the one with which a dataset moves to its own table', () => {
  it('are published in the order of their acceptance', async () => {
    const dataset = await smallDataset();
    const held = await blockPoolExit(dataset);
    const sent: ProcessAnswer[] = [];
    for (let at = 0; at < 12; at += 1) sent.push(await send(dataset, rowsFrom(50 + at * 3, 3)));
    await allStored(sent);
    held.destroy();
    const outcomes = await Promise.all(sent.map((process) => ended(owner, process)));
    expect(outcomes.map(({ status }) => status)).toEqual(sent.map(() => 'completed'));
    expect(await rowsOf(sent)).toEqual(
      sent.map(({ id }) => ({
        id,
        phase: 'merged',
        changes: { inserted: 3, replaced: 0, unchanged: 0, removed: 0 },
      })),
    );
    expect(await download(owner, dataset)).toBe(shown(86));
    expect(await download(owner, dataset, `?versionId=${outcomes[4]?.versionId}`)).toBe(shown(65));
    expect(await readDataset(owner, dataset)).toMatchObject({ minDate: day(0), maxDate: day(85) });
    await send(dataset, rowsFrom(86, 1)).then((process) => ended(owner, process));
    expect(await download(owner, dataset)).toBe(shown(87));
  });

  it('may be cancelled, dry runs, conditional or of other types', async () => {
    const dataset = await smallDataset();
    const etag = `"${(await readDataset(owner, dataset)).currentVersionId}"`;
    const held = await blockPoolExit(dataset);
    const plain = await send(dataset, rowsFrom(50, 2));
    const cancelled = await send(dataset, rowsFrom(900, 2));
    const more = await send(dataset, `${rowsFrom(52, 1)}`);
    const rehearsal = await send(dataset, rowsFrom(700, 2), { dryRun: 'true' });
    const otherType = await send(dataset, `day,k,v,w\n${day(53)},key 53,53.25,12345678901234567890.5\n`);
    const conditional = await json<ProcessAnswer>(
      await putWith(owner, dataset, rowsFrom(800, 1), { mode: 'append' }, { headers: { 'if-match': etag } }),
      201,
    );
    const last = await send(dataset, `day,k,v,w\n${day(54)},key 54,54.25,1\n`);
    const sent = [plain, cancelled, more, rehearsal, otherType, conditional, last];
    await allStored(sent);
    expect((await call(owner, 'DELETE', `/datasets/${dataset}/processes/${cancelled.id}`)).ok).toBe(true);
    held.destroy();
    const statuses = await Promise.all(sent.map(async (process) => (await ended(owner, process)).status));
    expect(statuses).toEqual(['completed', 'failed', ...Array(3).fill('completed'), 'failed', 'completed']);
    expect((await ended(owner, conditional)).error?.code).toBe('other_version');
    expect(await download(owner, dataset)).toBe(
      `"day","k","v","w"\n${lines(0, 53).replaceAll('\n', ',\n')}${lines(53, 1).trimEnd()},12345678901234567890.5\n${lines(54, 1).trimEnd()},1\n`,
    );
  });

  it('are applied to a replacement that was accepted between them', async () => {
    const dataset = await smallDataset();
    const held = await blockPoolExit(dataset);
    const first = await send(dataset, rowsFrom(50, 1));
    const replacing = await send(dataset, rowsFrom(0, 60), { mode: 'replace' });
    const second = await send(dataset, rowsFrom(60, 2));
    const third = await send(dataset, rowsFrom(62, 2));
    await allStored([first, second, third]);
    held.destroy();
    for (const process of [first, replacing, second, third])
      expect((await ended(owner, process)).status).toBe('completed');
    expect(await download(owner, dataset)).toBe(shown(64));
  });

  it('fail individually when their rows were lost', async () => {
    const dataset = await smallDataset();
    const held = await blockPoolExit(dataset);
    const sent = [
      await send(dataset, rowsFrom(50, 2)),
      await send(dataset, rowsFrom(70, 2)),
      await send(dataset, rowsFrom(52, 2)),
    ];
    await allStored(sent);
    await product.clickhouse(
      `DELETE FROM ${product.config.clickhouseDatabase}.pool_narrow WHERE _seg = ${(sent[1]?.id ?? 0) * 1_000 + 1} AND ${recordSql} = 1`,
    );
    held.destroy();
    const outcomes = await Promise.all(sent.map((process) => ended(owner, process)));
    expect(outcomes.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);
    expect(outcomes[1]?.error?.code).toBe('miscounted');
    expect(await download(owner, dataset)).toBe(shown(54));
  });

  it.each(['upsert', 'sync', 'delete'])(
    'do not let %s publish when the previous version lost rows',
    async (mode) => {
      const dataset = await createDataset(owner);
      const first = await uploadWith(owner, dataset, rowsFrom(0, 20), {});
      await product.clickhouse(
        `DELETE FROM ${product.config.clickhouseDatabase}.pool_narrow WHERE _seg = ${first.id * 1_000 + 1} AND ${recordSql} = 7`,
      );
      // The file has all keys of the previous version, so that the row count of a sync is right in spite of the loss.
      const outcome = await ended(owner, await send(dataset, rowsFrom(0, 22), { mode, key: '["k"]' }));
      expect([outcome.status, outcome.error?.code]).toEqual(['failed', 'miscounted']);
      const versions = await product.sql.query('SELECT 1 FROM versions WHERE dataset_id = $1', [dataset]);
      expect(versions).toHaveLength(1);
    },
  );

  it('are copied again when a copy differs from the original rows', async () => {
    const dataset = await createDataset(owner);
    await uploadWith(owner, dataset, rowsFrom(0, 60), {});
    await uploadWith(owner, dataset, rowsFrom(0, 10), {});
    const held = await blockQueue(dataset);
    const sent = await send(dataset, rowsFrom(10, 40));
    await allStored([sent]);
    const [own] = await product.sql.query<{ table: string }>(
      `SELECT 's' || store_id AS "table" FROM datasets WHERE id = $1`,
      [dataset],
    );
    await product.clickhouse(
      `INSERT INTO ${product.config.clickhouseDatabase}.${own?.table} (_seg, _row) VALUES (${sent.id * 1_000 + 501}, 50)`,
    );
    held.destroy();
    expect((await ended(owner, sent)).status).toBe('completed');
    expect(await download(owner, dataset)).toBe(shown(50));
    const [merge] = await product.sql.query('SELECT merge_attempt FROM processes WHERE id = $1', [sent.id]);
    expect(merge).toEqual({ merge_attempt: 2 });
  });
});
