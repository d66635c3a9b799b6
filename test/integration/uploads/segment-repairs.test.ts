/** Repairs of segments while workers join others, and repairs that are killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { uploadRefusals } from '../../../src/catalog/upload-rights.js';
import { runJobNow } from '../../../src/jobs/records.js';
import { silentLog } from '../../../src/lib/log.js';
import { createCompactionSteps, createCompactions } from '../../../src/rows/compactions.js';
import { createHashes, createRowTables, createTidy } from '../../../src/rows/index.js';
import type { ClickHouse } from '../../../src/storage/clickhouse/client.js';
import { createPublisher } from '../../../src/uploads/lifecycle/publisher.js';
import { isStoreJoined } from '../../../src/uploads/lifecycle/store-writers.js';
import { createSegmentRestore } from '../../../src/versions/verify/segment-restore.js';
import { compact, openClickHouse } from '../../support/compaction.js';
import {
  type Client,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
} from '../../support/datasets.js';
import { leasesOf } from '../../support/leases.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { putWith, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;
let clickhouse: ClickHouse;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '0',
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
    // A sweep of the worker would finish the repair that a test kills.
    sweepIntervalMs: '86400000',
  });
  owner = await product.createAccount('owner');
  clickhouse = openClickHouse(product);
});

afterAll(async () => {
  await clickhouse?.close();
  await product?.close();
});

/** A dataset of three segments. @returns its id and its store, and the segment of its first upload. */
const threeSegments = async () => {
  const dataset = await createDataset(owner);
  for (const mode of ['replace', 'append', 'append'])
    await uploadWith(owner, dataset, 'k,v\na,1\nb,2\n', { mode });
  const [first] = await segmentsOf(dataset);
  const [row] = await product.sql.query<{ store: number }>(
    'SELECT store_id AS store FROM datasets WHERE id = $1',
    [dataset],
  );
  const hashes = createHashes({ sql: product.sql, clickhouse, log: silentLog });
  return { dataset, store: row!.store, segment: (await hashes.find(first!))! };
};

const segmentsOf = async (dataset: number): Promise<number[]> =>
  (
    await product.sql.query<{ id: number }>(
      'SELECT DISTINCT segment_id AS id FROM segment_ranges WHERE dataset_id = $1 ORDER BY 1',
      [dataset],
    )
  ).map(({ id }) => id);

it('a repair of a segment that was joined with others meanwhile is refused', async () => {
  const { dataset, segment } = await threeSegments();
  const written: number[] = [];
  const restore = createSegmentRestore({
    sql: product.sql,
    compactions: createCompactions({ sql: product.sql, leases: leasesOf(product.sql) }),
    find: async () => {
      expect(await compact(product, clickhouse)).toBe(1);
      return async (id) => void written.push(id);
    },
  });
  const joined = await download(owner, dataset);
  await expect(restore(segment)).rejects.toMatchObject({ code: 'changed_meanwhile' });
  expect(written).toEqual([]);
  expect(await segmentsOf(dataset)).toHaveLength(1);
  expect(await download(owner, dataset)).toBe(joined);
});

it('an upload that is merged with rows that are being repaired is published after the repair, with the repaired rows', async () => {
  const { dataset, store, segment } = await threeSegments();
  const { sql } = product;
  const [column] = await clickhouse.rows<{ name: string }>(
    `SELECT name FROM system.columns WHERE database = '${clickhouse.database}' AND table = 's${store}' AND name LIKE 'c%' AND type NOT LIKE '%String%'`,
  );
  const table = `${clickhouse.database}.s${store}`;
  const publisher = createPublisher({
    sql,
    findRefusals: uploadRefusals,
    joinPlainly: async () => undefined,
    dryRunKeptMs: 0,
  });
  const phaseOf = async (process: number): Promise<string | undefined> =>
    (
      await sql.query<{ phase: string }>(
        "SELECT CASE status WHEN 'pending' THEN phase ELSE status END AS phase FROM processes WHERE id = $1",
        [process],
      )
    )[0]?.phase;
  const sent: ProcessAnswer[] = [];
  const restore = createSegmentRestore({
    sql,
    compactions: createCompactions({ sql, leases: leasesOf(sql) }),
    find: async () => async (id) => {
      await clickhouse.command(
        `INSERT INTO ${table} SELECT * REPLACE (${id} AS _seg, ${column?.name} + 100 AS ${column?.name})
         FROM (SELECT * FROM ${table} WHERE _seg = ${segment.id})`,
      );
      const upsert = { mode: 'upsert', onDuplicateKey: 'last' };
      const process = await json<ProcessAnswer>(await putWith(owner, dataset, 'k,v\na,7\n', upsert), 201);
      sent.push(process);
      for (let phase = ''; phase !== 'merged' && phase !== 'completed'; await sleep(20))
        phase = (await phaseOf(process.id)) ?? '';
      await publisher.publishDue([dataset]);
      expect(await phaseOf(process.id)).toBe('merged');
    },
  });
  await restore(segment);
  await runJobNow(sql, 'upload-sweep');
  expect(await ended(owner, sent[0]!)).toMatchObject({ status: 'completed' });
  expect(await download(owner, dataset)).toContain('"b",102');
});

it('the sweep finishes a killed repair, also without joins and folds', async () => {
  const { dataset, store, segment } = await threeSegments();
  const { sql } = product;
  const leases = leasesOf(sql);
  const killed = {
    ...createCompactionSteps({ sql }),
    finish: () => Promise.reject(new Error('killed')),
  };
  const table = `${clickhouse.database}.s${store}`;
  const restore = createSegmentRestore({
    sql,
    compactions: createCompactions({ sql, leases }, killed),
    find: async () => async (id) =>
      clickhouse.command(
        `INSERT INTO ${table} SELECT * REPLACE (${id} AS _seg)
         FROM (SELECT * FROM ${table} WHERE _seg = ${segment.id})`,
      ),
  });
  const before = await download(owner, dataset);
  await expect(restore(segment)).rejects.toThrow('killed');
  expect(await segmentsOf(dataset)).toContain(segment.id);
  await createTidy({
    sql,
    clickhouse,
    tables: createRowTables(clickhouse),
    leases,
    poolDropIntervalMs: 0,
    graceMs: 60_000,
    isBeingRead: isStoreJoined,
    log: silentLog,
  }).sweep();
  expect(await segmentsOf(dataset)).not.toContain(segment.id);
  expect(await sql.query('SELECT state FROM compactions WHERE store_id = $1', [store])).toEqual([
    { state: 'done' },
  ]);
  expect(await download(owner, dataset)).toBe(before);
});
