/** Uploads accepted while earlier ones are pending: the version that they are applied to does not exist yet. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createChunkRecords } from '../../../src/uploads/lifecycle/chunk-records.js';
import {
  createMergeRecords,
  type MergeTarget,
  type MergeTurn,
} from '../../../src/uploads/lifecycle/merge-records.js';
import { createTransitionRecords } from '../../../src/uploads/lifecycle/transition-records.js';
import { createUploadSweep } from '../../../src/uploads/lifecycle/upload-sweep.js';
import {
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { putWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '0',
    firstChunkBytes: '256',
    chunkBytes: '1024',
    sweepIntervalMs: '200',
  });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

/** Sends uploads that are all accepted before the first is stored. @returns their outcomes. */
const sendTogether = async (
  dataset: number,
  uploads: readonly (readonly [file: string, options: Record<string, string>])[],
): Promise<string[]> => {
  await product.stopWorker();
  const accepted: ProcessAnswer[] = [];
  for (const [file, options] of uploads)
    accepted.push(await json<ProcessAnswer>(await putWith(owner, dataset, file, options), 201));
  await product.startWorker();
  const results = await Promise.all(accepted.map((process) => ended(owner, process)));
  return results.map(({ status, error }) => error?.code ?? status);
};

describe('an upsert that waits for an earlier upload', () => {
  it('uses the column roles of the version that it is applied to', async () => {
    const dataset = await createDataset(owner);
    const numbers = JSON.stringify({ columns: [{ name: 'v', dataType: 'Decimal' }] });
    await upload(owner, dataset, 'k,v\na,text\n');
    const outcomes = await sendTogether(dataset, [
      ['k,v\na,1\nb,2\n', { manifest: numbers, onTypeConflict: 'replace' }],
      ['k,v\na,10\n', { mode: 'upsert' }],
      ['k,v\na,100\nc,3\n', { mode: 'upsert' }],
    ]);
    expect(outcomes).toEqual(['completed', 'completed', 'completed']);
    const { columns } = await readDataset(owner, dataset);
    expect(columns.map(({ name, dataType, isEntity }) => [name, dataType, isEntity])).toEqual([
      ['k', 'String', true],
      ['v', 'Decimal', false],
    ]);
    expect(await download(owner, dataset)).toBe('"k","v"\n"a",100\n"b",2\n"c",3\n');
  });

  it('keeps the role of a value column that an append has widened to text', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,v\na,1\n');
    const outcomes = await sendTogether(dataset, [
      ['k,v\nb,many\n', { mode: 'append', onTypeConflict: 'widen' }],
      ['k,v\na,2\n', { mode: 'upsert' }],
    ]);
    expect(outcomes).toEqual(['completed', 'completed']);
    expect(await download(owner, dataset)).toBe('"k","v"\n"a","2"\n"b","many"\n');
  });
});

describe('two workers that merge the same upload', () => {
  /** Accepts an append that is next in its dataset, and stops the worker. */
  const acceptAppend = async (): Promise<{ dataset: number; process: ProcessAnswer }> => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,v\na,1\n');
    await product.stopWorker();
    const process = await json<ProcessAnswer>(
      await putWith(owner, dataset, 'k,v\nb,12345678901234567890.5\n', { mode: 'append' }),
      201,
    );
    return { dataset, process };
  };

  it('publish only the rows of the one that holds the lease', async () => {
    const { dataset, process } = await acceptAppend();
    const merges = createMergeRecords(product.sql);
    await product.sql.query(`UPDATE processes SET phase = 'merge', facts = '{"rows": 1}' WHERE id = $1`, [
      process.id,
    ]);
    const turn = (await merges.turn(process.id)) as MergeTurn;
    const late = (await merges.begin(turn, undefined)) as MergeTarget;
    const next = await merges.begin(turn, undefined);
    expect(next?.segmentId).not.toBe(late.segmentId);
    const outcome = {
      baseVersionId: null,
      columns: [],
      facts: turn.facts,
      segmentId: late.segmentId,
      keepsBase: false,
    };
    await merges.finish(process.id, outcome, late.number);
    expect(await merges.turn(process.id)).toBeDefined();
    await product.sql.query(`UPDATE processes SET phase = 'insert', facts = NULL WHERE id = $1`, [
      process.id,
    ]);
    await product.startWorker();
    expect((await ended(owner, process)).status).toBe('completed');
    expect(await download(owner, dataset)).toBe('"k","v"\n"a",1\n"b",12345678901234567890.5\n');
  });
});

describe('an append to a version whose rows ClickHouse has lost', () => {
  it('publishes a version that cannot be read, and later uploads still complete', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,v\na,1\n');
    const [segment] = await product.sql.query<{ id: number; storeId: number }>(
      `SELECT s.id, s.store_id AS "storeId" FROM segments s JOIN processes p ON p.id = s.process_id
       WHERE p.dataset_id = $1`,
      [dataset],
    );
    await product.clickhouse(
      `ALTER TABLE ${product.config.clickhouseDatabase}.s${segment?.storeId} DROP PARTITION ${segment?.id}`,
    );
    const append = await json<ProcessAnswer>(
      await putWith(owner, dataset, 'k,v\nb,2\n', { mode: 'append' }),
      201,
    );
    const { versionId } = await ended(owner, append);
    const read = await call(owner, 'GET', `/datasets/${dataset}/data?$top=10&versionId=${versionId}`);
    expect(read.status).toBe(503);
    expect(await json(read, 503)).toMatchObject({ code: 'version_gone' });
    const next = await json<ProcessAnswer>(await putWith(owner, dataset, 'k,v\nc,3\n', {}), 201);
    expect((await ended(owner, next)).status).toBe('completed');
    expect(await download(owner, dataset)).toBe('"k","v"\n"c",3\n');
  });
});

const sweepOf = (publish: (dataset: number) => Promise<void>) =>
  createUploadSweep({
    transitions: createTransitionRecords(product.sql),
    chunks: createChunkRecords(product.sql),
    dispatcher: { publish, resume: () => undefined, announceFailed: () => undefined },
    receiveTimeoutMs: 3_600_000,
    retentionMs: 3_600_000,
    log: silentLog,
  });

describe('a sweep', () => {
  it('continues when one dataset cannot be published', async () => {
    const datasets = [await createDataset(owner), await createDataset(owner)];
    await product.stopWorker();
    for (const dataset of datasets) {
      const process = await json<ProcessAnswer>(await putWith(owner, dataset, 'a\n1\n', {}), 201);
      await product.sql.query(`UPDATE processes SET phase = 'ready' WHERE id = $1`, [process.id]);
    }
    const attempted: number[] = [];
    const uploads = sweepOf(async (dataset) => {
      attempted.push(dataset);
      throw new Error('cannot be published');
    });
    await uploads();
    expect(attempted.sort()).toEqual([...datasets].sort());
  });
});
