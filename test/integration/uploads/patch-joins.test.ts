/** Compaction joins patches without changing answers, so that reads consider few of them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordsPerUpload } from '../../../src/model/position.js';
import { mergeSegmentId } from '../../../src/model/version.js';
import { type CompactionSteps, createCompactionSteps } from '../../../src/rows/compactions.js';
import type { FoldLimits } from '../../../src/rows/folds.js';
import type { ClickHouse } from '../../../src/storage/clickhouse/client.js';
import { numberUpload } from '../../../src/storage/postgres/datasets.js';
import { compact, openClickHouse } from '../../support/compaction.js';
import { type Client, call, createDataset, json } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';
import { type Answers, answersOf } from './version-answers.js';

let product: TestProduct;
let owner: Client;
let clickhouse: ClickHouse;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '0',
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
    // A sweep would drop rows that the tests write before their segment exists, and finish joins that they break off.
    sweepIntervalMs: '86400000',
  });
  owner = await product.createAccount('owner');
  clickhouse = openClickHouse(product);
});

afterAll(async () => {
  await clickhouse?.close();
  await product?.close();
});

interface Change {
  /** Positions. */
  readonly replaced: readonly number[];
  readonly deleted: readonly number[];
  readonly added: number;
}

const positionOf = (upload: number, record: number): number => upload * recordsPerUpload + record;

/** Publishes a version with one more patch. @returns its upload number. */
const patch = (dataset: number, { replaced, deleted, added }: Change): Promise<number> =>
  product.sql.tx(async (tx) => {
    const number = (await numberUpload(tx, dataset))?.number ?? 0;
    const [made] = await tx.query<{ id: number; store: number }>(
      `INSERT INTO processes (dataset_id, upload_number, created_by, request_id, status, mode)
       SELECT id, $2, created_by, 'patch', 'completed', 'upsert' FROM datasets WHERE id = $1
       RETURNING id, (SELECT store_id FROM datasets WHERE id = $1) AS store`,
      [dataset, number],
    );
    const segment = mergeSegmentId(made!.id, 1);
    const columns = await clickhouse.rows<{ name: string }>(
      `SELECT name FROM system.columns WHERE database = '${clickhouse.database}' AND table = 's${made!.store}' ORDER BY position`,
    );
    const present = (at: number, gone: boolean): string =>
      `(${segment}, ${at}, ${gone ? '1, NULL, NULL, NULL' : `0, '2024-03-01', 'changed by ${number}', ${number}.5`})`;
    const newPositions = Array.from({ length: added }, (_, record) => positionOf(number, record));
    const rows = [...replaced, ...newPositions].map((at) => present(at, false));
    await clickhouse.command(
      `INSERT INTO ${clickhouse.database}.s${made!.store} (${columns.map(({ name }) => name).join(', ')})
       VALUES ${[...rows, ...deleted.map((at) => present(at, true))].join(', ')}`,
    );
    await tx.query(
      `INSERT INTO segments (id, store_id, process_id, upload_number, rows, bytes, patch, hidden)
       VALUES ($1, $2, $3, $4, $5, $6, true, $7)`,
      [
        segment,
        made!.store,
        made!.id,
        number,
        rows.length + deleted.length,
        10 * rows.length,
        replaced.length + 2 * deleted.length,
      ],
    );
    await tx.query(
      `WITH version AS (
         INSERT INTO versions (dataset_id, process_id, mode, column_list_id, row_count, byte_size, min_date, max_date)
         SELECT $1, $2, 'upsert', v.column_list_id, v.row_count + $3, v.byte_size, v.min_date, v.max_date
         FROM versions v JOIN datasets d ON d.current_version_id = v.id WHERE d.id = $1 RETURNING id
       ), named AS (
         INSERT INTO segment_ranges (dataset_id, segment_id, from_version) SELECT $1, $4, id FROM version
       ) UPDATE datasets SET current_version_id = version.id FROM version WHERE datasets.id = $1`,
      [dataset, made!.id, added - deleted.length, segment],
    );
    return number;
  });

const versionIds = async (dataset: number): Promise<string[]> => {
  const list = await json<{ versionId: string }[]>(await call(owner, 'GET', `/datasets/${dataset}/versions`));
  return list.map(({ versionId }) => versionId).reverse();
};

const allAnswers = async (datasets: readonly number[]): Promise<Answers> => {
  const answers: Answers = new Map();
  for (const dataset of datasets)
    for (const version of await versionIds(dataset))
      for (const [key, text] of await answersOf(owner, dataset, version)) answers.set(key, text);
  return answers;
};

const currentOf = async (dataset: number): Promise<{ bases: number; patches: number }> => {
  const [row] = await product.sql.query<{ bases: number; patches: number }>(
    `SELECT (count(*) FILTER (WHERE NOT g.patch))::int AS bases, (count(*) FILTER (WHERE g.patch))::int AS patches
     FROM segment_ranges r JOIN segments g ON g.id = r.segment_id WHERE r.dataset_id = $1 AND r.until_version IS NULL`,
    [dataset],
  );
  return row!;
};

const fileOf = (from: number, count: number): string =>
  `d,k,v\n${Array.from({ length: count }, (_, at) => `2024-01-${String((at % 28) + 1).padStart(2, '0')},k${from + at},${at}.25\n`).join('')}`;

const changed = (replaced: number[], deleted: number[], added: number): Change => ({
  replaced,
  deleted,
  added,
});

it('joined patches leave the rows of every version unchanged, also in a clone of a version between them', async () => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, fileOf(0, 30), {});
  const base = (record: number): number => positionOf(1, record);
  const first = await patch(dataset, changed([base(3), base(4)], [base(5)], 2));
  await uploadWith(owner, dataset, fileOf(100, 20), { mode: 'append' });
  // Changes again a row that the first patch added, one that it replaced, and one after it.
  await patch(dataset, changed([base(4), positionOf(first, 0)], [base(3), positionOf(first, 1)], 0));
  const home = await json<{ id: number }>(await call(owner, 'GET', '/repositories/home'));
  const answer = await call(owner, 'POST', `/datasets/${dataset}/clone`, {
    repositoryId: home.id,
    name: 'between',
  });
  const clone = (await json<{ id: number }>(answer, 201)).id;
  await uploadWith(owner, clone, fileOf(200, 3), { mode: 'append' });
  await uploadWith(owner, dataset, fileOf(300, 20), { mode: 'append' });
  await patch(dataset, changed([positionOf(3, 1)], [base(0), base(29)], 1));
  await patch(dataset, changed([], [base(4)], 0));

  const before = await allAnswers([dataset, clone]);
  expect([...before.values()].filter((text) => !text.startsWith('200'))).toEqual([]);
  expect(await currentOf(dataset)).toEqual({ bases: 3, patches: 4 });
  expect(await compact(product, clickhouse)).toBe(2);
  expect(await currentOf(dataset)).toEqual({ bases: 1, patches: 1 });
  // Its version ends in the middle of the run of patches and keeps them.
  expect(await currentOf(clone)).toEqual({ bases: 2, patches: 2 });
  expect(await allAnswers([dataset, clone])).toEqual(before);
  expect(await compact(product, clickhouse)).toBe(0);

  // Changes on top of joined patches.
  await patch(dataset, changed([base(1), base(2)], [], 1));
  const top = await answersOf(owner, dataset, (await versionIds(dataset)).at(-1)!);
  expect([...top.values()].filter((text) => !text.startsWith('200'))).toEqual([]);
});

it('joins keep the number of patches small after many changes', async () => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, fileOf(0, 40), {});
  for (let at = 0; at < 20; at += 1)
    await patch(dataset, changed([positionOf(1, at)], [positionOf(1, 39 - at)], 1));
  const current = (await versionIds(dataset)).at(-1)!;
  const before = await answersOf(owner, dataset, current);
  expect(await currentOf(dataset)).toEqual({ bases: 1, patches: 20 });
  expect(await compact(product, clickhouse)).toBeGreaterThan(0);
  expect((await currentOf(dataset)).patches).toBeLessThan(4);
  expect(await answersOf(owner, dataset, current)).toEqual(before);
});

it('patches are not joined if some of their rows are missing', async () => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, fileOf(0, 10), {});
  for (let at = 0; at < 4; at += 1)
    await patch(dataset, changed([positionOf(1, at), positionOf(1, at + 5)], [], 0));
  const [row] = await product.sql.query<{ store: number }>(
    'SELECT store_id AS store FROM datasets WHERE id = $1',
    [dataset],
  );
  await clickhouse.command(
    `ALTER TABLE ${clickhouse.database}.s${row!.store} DELETE WHERE _row = ${positionOf(1, 6)} AND _seg % 1000 > 500
     SETTINGS mutations_sync = 2`,
  );
  expect(await compact(product, clickhouse)).toBe(0);
  expect(await currentOf(dataset)).toEqual({ bases: 1, patches: 4 });
});

it('joined patches of a worker that died are promoted by the next one, and versions published meanwhile stay', async () => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, fileOf(0, 10), {});
  for (let at = 0; at < 4; at += 1)
    await patch(dataset, changed([positionOf(1, at)], [positionOf(1, at + 5)], 1));
  const steps = createCompactionSteps(product);
  const dying: CompactionSteps = {
    ...steps,
    finish: (published) => steps.finish(published, AbortSignal.abort()),
  };
  await compact(product, clickhouse, { steps: dying });
  expect(await currentOf(dataset)).toEqual({ bases: 1, patches: 4 });
  await patch(dataset, changed([positionOf(1, 3)], [positionOf(1, 4)], 0));
  const before = await allAnswers([dataset]);
  await compact(product, clickhouse);
  expect(await currentOf(dataset)).toEqual({ bases: 1, patches: 2 });
  expect(await allAnswers([dataset])).toEqual(before);
});

/** Number of completed folds of the dataset. */
const foldsOf = async (dataset: number): Promise<number> => {
  const [row] = await product.sql.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM compactions c JOIN datasets d USING (store_id)
     WHERE d.id = $1 AND c.folds AND c.state = 'done'`,
    [dataset],
  );
  return row?.n ?? 0;
};

const folding = (limits: Partial<FoldLimits> = {}): FoldLimits => ({
  minPercent: 10,
  minRows: 1_000,
  intervalMs: 60_000,
  hasRoom: async () => true,
  ...limits,
});

it('many patches are folded into a base, and versions that end inside of the run keep their rows', async () => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, fileOf(0, 30), {});
  await patch(dataset, changed([positionOf(1, 3)], [positionOf(1, 5)], 1));
  await uploadWith(owner, dataset, fileOf(100, 20), { mode: 'append' });
  await patch(dataset, changed([positionOf(1, 4)], [positionOf(3, 0)], 2));
  const before = await allAnswers([dataset]);

  // 7 of 51 rows are in patches.
  await compact(product, clickhouse, { folds: folding({ minPercent: 15 }) });
  expect(await foldsOf(dataset)).toBe(0);
  const checks: [number, number][] = [];
  const hasRoom = async (id: number, bytes: number): Promise<boolean> => {
    if (id === dataset) checks.push([id, bytes]);
    return false;
  };
  await compact(product, clickhouse, { folds: folding({ hasRoom }) });
  expect(await foldsOf(dataset)).toBe(0);
  const [stored] = await product.sql.query<{ bytes: number }>(
    'SELECT bytes FROM dataset_storage WHERE dataset_id = $1',
    [dataset],
  );
  expect(checks).toEqual([[dataset, stored?.bytes]]);
  await compact(product, clickhouse, { folds: folding() });
  expect(await currentOf(dataset)).toEqual({ bases: 1, patches: 0 });
  expect(await allAnswers([dataset])).toEqual(before);

  // Changes and appends after the fold, and the next fold.
  await patch(
    dataset,
    changed([positionOf(1, 3), positionOf(4, 0), positionOf(1, 6)], [positionOf(3, 9)], 3),
  );
  await uploadWith(owner, dataset, fileOf(200, 5), { mode: 'append' });
  const later = await allAnswers([dataset]);
  expect(later.size).toBeGreaterThan(before.size);
  await compact(product, clickhouse, { folds: folding() });
  expect(await foldsOf(dataset)).toBe(1);
  await compact(product, clickhouse, { folds: folding({ intervalMs: 0 }) });
  expect(await foldsOf(dataset)).toBe(2);
  expect(await currentOf(dataset)).toEqual({ bases: 1, patches: 0 });
  expect(await allAnswers([dataset])).toEqual(later);
});

it('patches are folded once by two concurrent workers, some minutes after a fold that failed', async () => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, fileOf(0, 10), {});
  await patch(dataset, changed([positionOf(1, 3)], [positionOf(1, 5)], 1));
  const before = await allAnswers([dataset]);
  const failing = { ...createCompactionSteps(product), publish: async () => false };
  const daily = folding({ intervalMs: 86_400_000 });
  await compact(product, clickhouse, { steps: failing, folds: daily });
  await compact(product, clickhouse, { folds: daily });
  expect(await foldsOf(dataset)).toBe(0);
  await product.sql.query(
    `UPDATE compactions SET created_at = created_at - interval '15 minutes' WHERE folds`,
  );
  await Promise.all([
    compact(product, clickhouse, { folds: daily }),
    compact(product, clickhouse, { folds: daily }),
  ]);
  expect(await foldsOf(dataset)).toBe(1);
  expect(await currentOf(dataset)).toEqual({ bases: 1, patches: 0 });
  expect(await allAnswers([dataset])).toEqual(before);
});
