/** Folds when versions share segments in a non-linear history. Changes go through the API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUploadCommands } from '../../../src/admin/uploads.js';
import { createRoomCheck } from '../../../src/catalog/quotas.js';
import { openUploadReplay } from '../../../src/compose/operator.js';
import { silentLog } from '../../../src/lib/log.js';
import { createVersions } from '../../../src/query/versions.js';
import { createCompactions } from '../../../src/rows/compactions.js';
import type { FoldLimits } from '../../../src/rows/folds.js';
import {
  createCompactor,
  createJoin,
  createRowTables,
  createTidy,
  pairRows,
  readLineage,
} from '../../../src/rows/index.js';
import type { ClickHouse } from '../../../src/storage/clickhouse/client.js';
import { runAdmin } from '../../support/admin.js';
import { openClickHouse } from '../../support/compaction.js';
import { type Client, call, createDataset, json } from '../../support/datasets.js';
import { leasesOf } from '../../support/leases.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';
import { type Answers, answersOf } from './version-answers.js';

/** `ends`: versions are compared with the first and the last one; `all`: all pairs. */
const comparedPairs = process.env.COMPARED_PAIRS ?? 'ends';

let product: TestProduct;
let owner: Client;
let clickhouse: ClickHouse;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '0',
    patchMaxPercent: '80',
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
  });
  owner = await product.createAccount('owner');
  clickhouse = openClickHouse(product);
});

afterAll(async () => {
  await clickhouse?.close();
  await product?.close();
});

const foldAll: FoldLimits = { minPercent: 1, minRows: 1_000, intervalMs: 0, hasRoom: async () => true };

const joined: string[] = [];

const foldedBytes: number[] = [];

/** Joins segments of these datasets only, and folds their patches if limits are given. */
const compact = (datasets: readonly number[], folds?: FoldLimits): Promise<number> => {
  const compactions = createCompactions({ sql: product.sql, leases: leasesOf(product.sql) });
  const isIncluded = ({ datasetId }: { datasetId: number }): boolean => datasets.includes(datasetId);
  return createCompactor({
    compactions: {
      ...compactions,
      candidates: async (...limits) => (await compactions.candidates(...limits)).filter(isIncluded),
      foldCandidates: async (limits) => (await compactions.foldCandidates(limits)).filter(isIncluded),
      replace: (...work) => {
        joined.push(work[1].map(({ patch }) => (patch ? 'p' : 'b')).join(''));
        return compactions.replace(...work);
      },
    },
    join: createJoin({ clickhouse, log: silentLog }),
    bounds: { least: 2, maxBytes: 1_000_000_000 },
    ...(folds === undefined ? {} : { folds }),
    onJoined: ({ foldedBytes: bytes }) => foldedBytes.push(bytes),
    log: silentLog,
  }).compact(new AbortController().signal);
};

const file = (from: number, count: number, value = 0): string =>
  `d,k,v\n${Array.from({ length: count }, (_, at) => `2024-01-${String((at % 28) + 1).padStart(2, '0')},k${from + at},${value + at}.25\n`).join('')}`;

const replace = (dataset: number, from: number, count: number) =>
  uploadWith(owner, dataset, file(from, count), {});
const append = (dataset: number, from: number, count: number) =>
  uploadWith(owner, dataset, file(from, count), { mode: 'append' });
const upsert = (dataset: number, from: number, count: number) =>
  uploadWith(owner, dataset, file(from, count, 1000), { mode: 'upsert', key: 'k' });

const cloneOf = async (dataset: number, name: string, client = owner): Promise<number> => {
  const home = await json<{ id: number }>(await call(client, 'GET', '/repositories/home'));
  const answer = await call(client, 'POST', `/datasets/${dataset}/clone`, { repositoryId: home.id, name });
  return (await json<{ id: number }>(answer, 201)).id;
};

const allAnswers = async (datasets: readonly number[]): Promise<Answers> => {
  const answers: Answers = new Map();
  for (const dataset of datasets) {
    const list = await json<{ versionId: string }[]>(
      await call(owner, 'GET', `/datasets/${dataset}/versions`),
    );
    for (const { versionId } of list)
      for (const [key, text] of await answersOf(owner, dataset, versionId)) answers.set(key, text);
  }
  expect([...answers.values()].filter((text) => !text.startsWith('200'))).toEqual([]);
  return answers;
};

/** Segments of the current version: b for each base, p for each patch. */
const kindsOf = async (dataset: number): Promise<string> => {
  const rows = await product.sql.query<{ kind: string }>(
    `SELECT CASE WHEN g.patch THEN 'p' ELSE 'b' END AS kind FROM segment_ranges r JOIN segments g ON g.id = r.segment_id
     WHERE r.dataset_id = $1 AND r.until_version IS NULL ORDER BY 1`,
    [dataset],
  );
  return rows.map(({ kind }) => kind).join('');
};

it('folds keep versions that have the patch and only the start of a joined base', async () => {
  const dataset = await createDataset(owner);
  await replace(dataset, 0, 30);
  await upsert(dataset, 2, 5);
  await append(dataset, 100, 20);
  await append(dataset, 200, 20);
  const before = await allAnswers([dataset]);
  expect(await compact([dataset])).toBe(1);
  expect(await kindsOf(dataset)).toBe('bp');
  expect(await compact([dataset], foldAll)).toBe(1);
  expect(await kindsOf(dataset)).toBe('b');
  expect(await allAnswers([dataset])).toEqual(before);
});

it('folds leave bases that can be joined again if a clone has only the start of the run', async () => {
  const dataset = await createDataset(owner);
  await replace(dataset, 0, 30);
  await upsert(dataset, 2, 2);
  const clone = await cloneOf(dataset, 'during a fold');
  await append(clone, 100, 3);
  for (let at = 0; at < 3; at += 1) await upsert(clone, 10 + at, 2);
  const before = await allAnswers([dataset, clone]);
  joined.length = 0;
  expect(await compact([clone])).toBe(1);
  expect(await kindsOf(clone)).toBe('bbp');
  // Versions of the clone that end in the middle of that run get the fold, followed by the appended rows.
  expect(await compact([dataset], foldAll)).toBe(1);
  expect(await allAnswers([dataset, clone])).toEqual(before);
  await append(clone, 200, 30);
  const later = await allAnswers([dataset, clone]);
  expect(await compact([clone])).toBe(1);
  expect(await kindsOf(clone)).toBe('bp');
  expect(joined).toEqual(['pppp', 'bp', 'bbb']);
  expect(await allAnswers([dataset, clone])).toEqual(later);
  expect(await compact([clone, dataset])).toBe(0);
});

it('folds are not mistaken for the rows of a replayed upload with the same number of rows', async () => {
  const dataset = await createDataset(owner);
  const first = await replace(dataset, 0, 30);
  const changed = await upsert(dataset, 2, 5);
  expect(await compact([dataset], foldAll)).toBe(1);
  await call(owner, 'DELETE', `/datasets/${dataset}/versions/${first.versionId}`);
  const before = await allAnswers([dataset]);
  for (const { id } of [first, changed]) {
    const replay = await runAdmin(
      product,
      [createUploadCommands(openUploadReplay)],
      `upload replay ${id} --json`,
    ).catch((error: unknown) => error);
    expect(replay).toMatchObject({ code: 'rows_joined' });
  }
  expect(await allAnswers([dataset])).toEqual(before);
});

it('folds are not started when the examined segments have been replaced', async () => {
  const dataset = await createDataset(owner);
  await replace(dataset, 0, 30);
  for (let at = 0; at < 4; at += 1) await upsert(dataset, at, 2);
  const compactions = createCompactions({ sql: product.sql, leases: leasesOf(product.sql) });
  const [store] = await product.sql.query<{ id: number }>(
    'SELECT store_id AS id FROM datasets WHERE id = $1',
    [dataset],
  );
  const seen = await compactions.segments(dataset);
  expect(await compact([dataset])).toBe(1);
  const write = async () => {
    throw new Error('copied');
  };
  expect(await compactions.replace(store!.id, seen, write, { foldIntervalMs: 0 })).toBe('busy');
  const now = await compactions.segments(dataset);
  await expect(compactions.replace(store!.id, now, write, { foldIntervalMs: 0 })).rejects.toThrow('copied');
});

it('folds are not published if their storage was used up while they were written', async () => {
  const dataset = await createDataset(owner);
  await replace(dataset, 0, 30);
  await upsert(dataset, 2, 5);
  const before = await allAnswers([dataset]);
  const room = [true, false];
  const hasRoom = async () => room.shift() ?? false;
  expect(await compact([dataset], { ...foldAll, hasRoom })).toBe(0);
  expect(room).toEqual([]);
  expect(await kindsOf(dataset)).toBe('bp');
  expect(await allAnswers([dataset])).toEqual(before);
});

it('folds are counted by the bytes that they write', async () => {
  const dataset = await createDataset(owner);
  await replace(dataset, 0, 30);
  await upsert(dataset, 0, 20);
  foldedBytes.length = 0;
  expect(await compact([dataset], foldAll)).toBe(1);
  const [fold] = await product.sql.query<{ bytes: number }>(
    `SELECT g.bytes FROM segment_ranges r JOIN segments g ON g.id = r.segment_id WHERE r.dataset_id = $1 AND r.until_version IS NULL`,
    [dataset],
  );
  expect(foldedBytes).toEqual([fold?.bytes]);
});

it('folds are made if patches have many rows, even if their share is small', async () => {
  const dataset = await createDataset(owner);
  await replace(dataset, 0, 30);
  await upsert(dataset, 2, 5);
  const before = await allAnswers([dataset]);
  const byRows = { ...foldAll, minPercent: 100 };
  expect(await compact([dataset], { ...byRows, minRows: 6 })).toBe(0);
  expect(await compact([dataset], { ...byRows, minRows: 5 })).toBe(1);
  expect(await kindsOf(dataset)).toBe('b');
  expect(await allAnswers([dataset])).toEqual(before);
});

it('folds are made if joins are switched off', async () => {
  const folding = await startProduct({
    poolMaxRows: '0',
    patchMaxPercent: '80',
    compactionMinSegments: '0',
    compactionIntervalMs: '100',
    patchFoldMinPercent: '10',
    patchFoldIntervalMs: '0',
  });
  try {
    const client = await folding.createAccount('owner');
    const dataset = await createDataset(client);
    await uploadWith(client, dataset, file(0, 30), {});
    await uploadWith(client, dataset, file(2, 5, 1000), { mode: 'upsert', key: 'k' });
    await expect
      .poll(() =>
        folding.sql.query(
          `SELECT g.patch FROM segment_ranges r JOIN segments g ON g.id = r.segment_id WHERE r.dataset_id = $1 AND r.until_version IS NULL`,
          [dataset],
        ),
      )
      .toEqual([{ patch: false }]);
  } finally {
    await folding.close();
  }
});

it('folds need storage for twice the copy, only in the plans of accounts that store more afterwards', async () => {
  const dataset = await createDataset(owner);
  const first = await replace(dataset, 0, 30);
  await upsert(dataset, 2, 5);
  const hasRoom = createRoomCheck(product.sql);
  await product.sql.query(
    `INSERT INTO plans SELECT (jsonb_populate_record(p, '{"name":"bounded"}')).* FROM plans p WHERE p.name = 'unlimited'`,
  );
  /** Sets the remaining bytes of an account. */
  const setFreeBytes = async (client: Client, name: string, bytes: number): Promise<void> => {
    const account = await json<{ plan: { quotas: { storedBytes: { used: number } } } }>(
      await call(client, 'GET', '/account'),
    );
    await product.sql.query(`UPDATE plans SET max_stored_bytes = $1 WHERE name = 'bounded'`, [
      account.plan.quotas.storedBytes.used + bytes,
    ]);
    await product.sql.query(`UPDATE accounts SET plan = 'bounded' WHERE name = $1`, [name]);
  };
  const setUnlimited = (name: string) =>
    product.sql.query(`UPDATE accounts SET plan = 'unlimited' WHERE name = $1`, [name]);
  await setFreeBytes(owner, 'owner', 200);
  expect([await hasRoom(dataset, 100), await hasRoom(dataset, 101)]).toEqual([true, false]);
  await setUnlimited('owner');
  expect(await hasRoom(dataset, 1e9)).toBe(true);

  // All versions of this clone have the folded rows, so its storage does not grow.
  const other = await product.createAccount('cloner');
  await call(owner, 'PUT', `/datasets/${dataset}/permissions/cloner`, { level: 'Clone' });
  const clone = await cloneOf(dataset, 'of another account', other);
  await uploadWith(other, clone, file(100, 5), { mode: 'append' });
  await setFreeBytes(other, 'cloner', 0);
  expect(await hasRoom(dataset, 100)).toBe(true);
  // A fold of the clone does not change its first version.
  expect(await hasRoom(clone, 100)).toBe(false);
  await setUnlimited('cloner');

  // Without older versions storage does not grow.
  await setFreeBytes(owner, 'owner', 0);
  expect(await hasRoom(dataset, 100)).toBe(false);
  const removed = await call(owner, 'DELETE', `/datasets/${dataset}/versions/${first.versionId}`);
  expect(removed.status).toBe(204);
  expect(await hasRoom(dataset, 100)).toBe(true);
  await setUnlimited('owner');
});

const tidyOf = () =>
  createTidy({
    sql: product.sql,
    clickhouse,
    tables: createRowTables(clickhouse),
    leases: leasesOf(product.sql),
    poolDropIntervalMs: 0,
    graceMs: 0,
    isBeingRead: () => 'false',
    log: silentLog,
  });

const storedSegments = async (dataset: number): Promise<number> => {
  const [found] = await product.sql.query<{ count: number }>(
    'SELECT count(*) FROM segments g JOIN datasets d ON d.store_id = g.store_id WHERE d.id = $1',
    [dataset],
  );
  return found?.count ?? 0;
};

describe('versions before and after a fold', () => {
  /** Thousands of rows, so that whole versions take several granules. */
  const rows = 10_000;

  const differences = async (dataset: number, versions: readonly string[]) => {
    const found: Record<string, unknown> = {};
    const ends = [versions[0], versions.at(-1)];
    for (const from of versions)
      for (const to of versions) {
        if (comparedPairs === 'ends' && !ends.includes(from) && !ends.includes(to)) continue;
        const path = `/datasets/${dataset}/versions/${from}/diff/${to}`;
        const counts = await json(await call(owner, 'GET', path));
        found[path] = [counts, await (await call(owner, 'GET', `${path}/rows`)).text()];
      }
    return found;
  };

  const versionsOf = async (dataset: number): Promise<string[]> =>
    (await json<{ versionId: string }[]>(await call(owner, 'GET', `/datasets/${dataset}/versions`)))
      .map(({ versionId }) => versionId)
      .reverse();

  const deleteKeys = (dataset: number, from: number, count: number) =>
    uploadWith(owner, dataset, `k\n${Array.from({ length: count }, (_, at) => `k${from + at}\n`).join('')}`, {
      mode: 'delete',
      key: 'k',
    });

  /** Rows that a comparison reads. */
  const lineageOf = async (dataset: number, from: string | undefined, to: string | undefined) => {
    const versions = createVersions(product.sql);
    const [one, other] = [
      await versions.find({ datasetId: dataset, currentVersionId: null, versionId: Number(from) }),
      await versions.find({ datasetId: dataset, currentVersionId: null, versionId: Number(to) }),
    ];
    const lineage = await readLineage(product.sql, one, other);
    return pairRows(clickhouse.database, one, other, lineage).maxRows;
  };

  it('are compared at the positions of patches, or by their rows once the patches are gone', async () => {
    const dataset = await createDataset(owner);
    await replace(dataset, 0, rows);
    await upsert(dataset, 0, 30);
    await deleteKeys(dataset, 10, 5);
    await append(dataset, rows, 10);
    await upsert(dataset, 20, 40);
    const before = await versionsOf(dataset);
    const answers = await allAnswers([dataset]);
    expect(await compact([dataset], { ...foldAll, minPercent: 0 })).toBeGreaterThan(0);
    expect(await kindsOf(dataset)).toBe('b');
    await tidyOf().sweep();
    await upsert(dataset, 30, 20);
    await deleteKeys(dataset, 3, 2);
    // The fold includes the appended rows, so only versions after them share all bases.
    const [first, , , fourth] = before;
    const last = (await versionsOf(dataset)).at(-1);
    expect(await lineageOf(dataset, fourth, last)).toBeLessThan(1_000);
    expect(await lineageOf(dataset, first, last)).toBeGreaterThan(rows);
    for (const [key, text] of await allAnswers([dataset]))
      if (answers.has(key)) expect(text).toBe(answers.get(key));

    // Other datasets share no segments with these, so differences are found by the key.
    const versions = await versionsOf(dataset);
    const actual = await differences(dataset, versions);
    const plain = await createDataset(owner);
    const named = new Map<string, string>();
    for (const version of versions) {
      const text = await (
        await call(owner, 'GET', `/datasets/${dataset}/data?$skip=0&versionId=${version}`)
      ).text();
      named.set(version, (await uploadWith(owner, plain, text, {})).versionId ?? '');
    }
    const expected = await differences(plain, [...named.values()]);
    expect(
      Object.values(actual).map((one) => JSON.stringify(one).replace(/"(from|to)":"\d+",?/g, '')),
    ).toEqual(Object.values(expected).map((one) => JSON.stringify(one).replace(/"(from|to)":"\d+",?/g, '')));

    const withRetained = await storedSegments(dataset);
    for (const version of before.slice(0, -1))
      await call(owner, 'DELETE', `/datasets/${dataset}/versions/${version}`);
    await tidyOf().sweep();
    expect(withRetained - (await storedSegments(dataset))).toBeGreaterThan(3);
    const left = await versionsOf(dataset);
    expect(left).toEqual(versions.slice(-3));
    const compared = Object.entries(await differences(dataset, left)).filter(([path]) => path in actual);
    expect(compared.length).toBeGreaterThan(3);
    for (const [path, found] of compared) expect(found, path).toEqual(actual[path]);
  });
});
