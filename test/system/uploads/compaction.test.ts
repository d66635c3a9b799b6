import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Leases } from '../../../src/jobs/leases.js';
import { silentLog } from '../../../src/lib/log.js';
import { compactedSegmentIds } from '../../../src/model/version.js';
import { createCompactor } from '../../../src/rows/compact.js';
import {
  type CompactionSteps,
  createCompactionSteps,
  createCompactions,
} from '../../../src/rows/compactions.js';
import type { Target } from '../../../src/rows/copy.js';
import { createJoin, type Join, type JoinedSegment } from '../../../src/rows/join.js';
import { insideOf } from '../../../src/rows/place.js';
import { createTidy } from '../../../src/rows/sweep.js';
import { createRowTables } from '../../../src/rows/tables.js';
import type { ClickHouse } from '../../../src/storage/clickhouse/client.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql } from '../../../src/storage/postgres/sql.js';
import { isStoreJoined } from '../../../src/uploads/lifecycle/store-writers.js';
import { createRetention } from '../../../src/versions/retention.js';
import { type Answers, answersOf } from '../../integration/uploads/version-answers.js';
import { openClickHouse } from '../../support/compaction.js';
import { type Client, call, createDataset, download, json } from '../../support/datasets.js';
import { leasesOf } from '../../support/leases.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;
let clickhouse: ClickHouse;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '0',
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
    // The tests sweep themselves and check the counts.
    sweepIntervalMs: '86400000',
    segmentGraceMs: '3600000',
  });
  owner = await product.createAccount('owner');
  clickhouse = openClickHouse(product);
});

afterAll(async () => {
  await clickhouse?.close();
  await product?.close();
});

const never = new AbortController().signal;

interface Parts {
  readonly steps?: CompactionSteps;
  readonly leases?: Leases;
  readonly join?: Join;
  readonly least?: number;
}

const stepsOf = (): CompactionSteps => createCompactionSteps(product);
/** Leases that are not recorded: other workers consider the holder dead immediately. */
const noLeases: Leases = { whileHeld: (_name, _subject, work) => work(never) };
const joinOf = (): Join => createJoin({ clickhouse, log: silentLog });

/** Compacts the store of one dataset. */
const compact = async (
  dataset: number,
  { steps = stepsOf(), leases = leasesOf(product.sql), join = joinOf(), least = 3 }: Parts = {},
): Promise<number> => {
  const [own] = await product.sql.query<{ storeId: number }>(
    'SELECT store_id AS "storeId" FROM datasets WHERE id = $1',
    [dataset],
  );
  const compactions = createCompactions({ sql: product.sql, leases }, steps);
  return createCompactor({
    compactions: {
      ...compactions,
      candidates: async (...fewest) =>
        (await compactions.candidates(...fewest)).filter(({ storeId }) => storeId === own?.storeId),
    },
    join,
    bounds: { least, maxBytes: 1_000_000_000 },
    onJoined: () => undefined,
    log: silentLog,
  }).compact(never);
};

/** Sweeps without a grace period for readers. */
const sweep = async () => {
  const versions = await createRetention({ sql: product.sql, log: silentLog }).apply();
  const tidy = createTidy({
    sql: product.sql,
    clickhouse,
    tables: createRowTables(clickhouse),
    leases: leasesOf(product.sql),
    poolDropIntervalMs: 0,
    graceMs: 0,
    isBeingRead: isStoreJoined,
    log: silentLog,
  });
  return { versions, ...(await tidy.sweep()) };
};

const send = async (dataset: number, content: string, mode: string, more: Record<string, string> = {}) => {
  const keyed = mode === 'upsert' ? { onDuplicateKey: 'last' } : {};
  const done = await uploadWith(owner, dataset, content, { mode, ...keyed, ...more });
  if (done.status !== 'completed') throw new Error(JSON.stringify(done));
  return done;
};

/** Appends a few rows each time, with quotes, line breaks and nulls. */
const appendMany = async (dataset: number, count: number, first = 0): Promise<void> => {
  for (let at = first; at < first + count; at += 1) {
    const day = `2024-01-${String((at % 28) + 1).padStart(2, '0')}`;
    await send(dataset, `d,k,v\n${day},k${at},${at}.5\n${day},"a ""b"", ${at}",\n,,${-at}\n`, 'append');
  }
};

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

const clone = async (dataset: number, name: string): Promise<number> => {
  const home = await json<{ id: number }>(await call(owner, 'GET', '/repositories/home'));
  const answer = await call(owner, 'POST', `/datasets/${dataset}/clone`, { repositoryId: home.id, name });
  return (await json<{ id: number }>(answer, 201)).id;
};

const restore = async (dataset: number, version: string | undefined): Promise<void> => {
  await json(await call(owner, 'POST', `/datasets/${dataset}/versions/${version}/restore`), 201);
};

/** Counts segments: referenced in PostgreSQL, stored in ClickHouse, in the current version. */
const segmentsOf = async (dataset: number): Promise<{ named: number; stored: number; current: number }> => {
  const [row] = await product.sql.query<{ storeId: number; named: number; current: number }>(
    `SELECT d.store_id AS "storeId",
       (SELECT count(DISTINCT r.segment_id)::int FROM segment_ranges r JOIN segments g ON g.id = r.segment_id
        WHERE g.store_id = d.store_id AND g.rows > 0) AS named,
       (SELECT count(*)::int FROM segment_ranges r WHERE r.dataset_id = d.id AND r.until_version IS NULL) AS current
     FROM datasets d WHERE d.id = $1`,
    [dataset],
  );
  const stored = await product.clickhouse(
    `SELECT uniqExact(partition) FROM system.parts WHERE active AND database = '${product.config.clickhouseDatabase}'
       AND table = 's${row?.storeId}'`,
  );
  return { named: row?.named ?? 0, stored: Number(stored), current: row?.current ?? 0 };
};

/** Creates a dataset with fifteen versions of several modes, and a clone with versions of its own. */
const history = async (): Promise<{ dataset: number; copy: number }> => {
  const dataset = await createDataset(owner);
  await send(dataset, 'd,k,v\n2024-01-01,first,1\n', 'replace');
  await appendMany(dataset, 4);
  const copy = await clone(dataset, `copy of ${dataset}`);
  await send(dataset, 'd,k,v\n2024-02-01,x,1\nbad\n2024-02-02,y,2\n', 'append', { onBadRow: 'quarantine' });
  await send(dataset, 'd,k,v\n', 'append');
  await send(dataset, 'd,k,v,more\n2024-02-03,z,3,44\n', 'append');
  await appendMany(dataset, 1, 6);
  await send(copy, 'd,k,v,own\n2024-03-01,c,1,7\n', 'append');
  await appendMany(copy, 1, 20);
  await send(dataset, 'd,k,v\n2024-01-01,first,100\n2024-05-05,new,5\n', 'upsert');
  await appendMany(dataset, 2, 9);
  await restore(dataset, (await versionIds(dataset))[4]);
  await appendMany(dataset, 2, 13);
  return { dataset, copy };
};

describe('compaction', () => {
  it('pauses for hours after ten failed attempts and longer after twenty, before segment ids are exhausted', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'd,k,v\n2024-01-01,first,1\n', 'replace');
    await appendMany(dataset, 4);
    let attempts = 0;
    const join: Join = async () => {
      attempts += 1;
      throw new Error('ClickHouse is down');
    };
    const passHours = (hours: number): Promise<unknown> =>
      product.sql.query(
        `UPDATE compactions c SET created_at = c.created_at - $2 * interval '1 hour' FROM datasets d
         WHERE d.id = $1 AND c.store_id = d.store_id`,
        [dataset, hours],
      );
    for (let round = 0; round < 12; round += 1) expect(await compact(dataset, { join })).toBe(0);
    expect(attempts).toBe(10);
    for (let round = 0; round < 10; round += 1) {
      await passHours(7);
      expect(await compact(dataset, { join })).toBe(0);
    }
    expect(attempts).toBe(20);
    await passHours(7);
    expect(await compact(dataset)).toBe(0);
    await passHours(6);
    expect(await compact(dataset)).toBe(1);
    // A success ends the row of failures.
    await appendMany(dataset, 5, 5);
    expect(await compact(dataset, { join })).toBe(0);
    expect(await compact(dataset)).toBe(1);
  });

  it('leaves the last segment ids to repairs', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'd,k,v\n2024-01-01,first,1\n', 'replace');
    await appendMany(dataset, 4);
    const compactions = createCompactions({ sql: product.sql, leases: leasesOf(product.sql) });
    const [first] = await compactions.segments(dataset);
    if (first === undefined) throw new Error('the version has no segment');
    const [used] = await product.sql.query<{ storeId: number }>(
      `INSERT INTO compactions (segment_id, store_id, state) SELECT $2, d.store_id, 'done' FROM datasets d WHERE d.id = $1
       RETURNING store_id AS "storeId"`,
      [dataset, compactedSegmentIds(first.id).to - 20],
    );
    expect(await compact(dataset)).toBe(0);
    expect(await compactions.replace(used?.storeId ?? 0, [first], async () => undefined)).toBe('kept');
  });

  it('joins segments of versions, clones and restored versions without changing any answer', async () => {
    const { dataset, copy } = await history();
    const before = await allAnswers([dataset, copy]);
    expect(before.size).toBeGreaterThan(70);
    const many = await segmentsOf(dataset);

    const reading = new AbortController();
    const readers = (async () => {
      const keys = await versionIds(dataset);
      for (let at = 0; !reading.signal.aborted; at = (at + 1) % keys.length)
        for (const [key, text] of await answersOf(owner, dataset, keys[at] ?? ''))
          expect(text, key).toBe(before.get(key));
    })();
    expect(await compact(dataset)).toBeGreaterThan(0);
    expect(await compact(dataset)).toBe(0);
    reading.abort();
    await readers;

    const few = await segmentsOf(dataset);
    expect(few.named).toBeLessThan(many.named - 3);
    expect(few.stored).toBeGreaterThan(few.named);
    expect(await sweep()).toMatchObject({ orphanSegments: 0, missingSegments: 0 });
    expect((await segmentsOf(dataset)).stored).toBe(few.named);
    expect(await allAnswers([dataset, copy])).toEqual(before);

    // Changes on top of joined segments work too.
    await restore(dataset, (await versionIds(dataset))[3]);
    await appendMany(dataset, 2, 30);
    await send(dataset, 'd,k,v\n2024-01-01,first,55\n', 'upsert');
    await appendMany(copy, 3, 40);
    const later = await clone(dataset, `later copy of ${dataset}`);
    const then = await allAnswers([dataset, copy, later]);
    await compact(dataset);
    await sweep();
    const now = await allAnswers([dataset, copy, later]);
    expect(now).toEqual(then);
    for (const [key, text] of before) expect(now.get(key), key).toBe(text);
  });

  it('lets a version that was read before be exported from the joined segments', async () => {
    const dataset = await createDataset(owner);
    await appendMany(dataset, 4);
    const rows = await download(owner, dataset, '?$skip=0');
    expect(await compact(dataset)).toBe(1);
    await sweep();
    expect(await download(owner, dataset)).toBe(rows);
  });

  it('does not change first and last of a group', async () => {
    const { dataset } = await history();
    await compact(dataset);
    const apply = encodeURIComponent('groupby((d),aggregate(k with first as F,v with last as L))');
    for (const version of await versionIds(dataset)) {
      const ask = async <T>(question: string): Promise<T[]> =>
        json(
          await call(owner, 'GET', `/datasets/${dataset}/data?versionId=${version}&$format=json${question}`),
        );
      const groups = new Map<string | null, { d: string | null; F: string | null; L: number | null }>();
      for (const { d, k, v } of await ask<{ d: string | null; k: string | null; v: number | null }>(
        '&$skip=0',
      )) {
        const { F, L } = groups.get(d) ?? { F: null, L: null };
        groups.set(d, { d, F: F ?? k, L: v ?? L });
      }
      const result = await ask<{ d: string | null }>(`&$apply=${apply}`);
      const byDay = (a: { d: string | null }, b: { d: string | null }) =>
        String(a.d).localeCompare(String(b.d));
      expect(result.sort(byDay), version).toEqual([...groups.values()].sort(byDay));
    }
  });

  it('covers versions that are published, cloned and restored while the rows are copied', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'd,k,v\n2024-01-01,first,1\n', 'replace');
    await appendMany(dataset, 4);
    let copy = 0;
    const join: Join = async (...run) => {
      const joined = await joinOf()(...run);
      if (copy === 0) {
        await appendMany(dataset, 1, 4);
        copy = await clone(dataset, `copy in between of ${dataset}`);
        await send(dataset, 'd,k,v\n2024-01-01,first,2\n', 'upsert');
        await restore(dataset, (await versionIds(dataset))[2]);
        await appendMany(dataset, 1, 5);
      }
      return joined;
    };
    const before: Answers[] = [];
    const steps: CompactionSteps = {
      ...stepsOf(),
      async publish(...args) {
        before.push(await allAnswers([dataset, copy]));
        return stepsOf().publish(...args);
      },
    };
    expect(await compact(dataset, { join, steps })).toBeGreaterThan(0);
    await sweep();
    expect(await allAnswers([dataset, copy])).toEqual(before[0]);
  });

  it('runs concurrently with uploads and other workers', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'k,v\nstart,0\n', 'replace');
    const expected = ['start,0'];
    const stop = new AbortController();
    const workers = [1, 2].map(async () => {
      while (!stop.signal.aborted) {
        await compact(dataset, { least: 2 });
        await sweep();
      }
    });
    for (let at = 1; at <= 10; at += 1) {
      const replaced = at % 5 === 0 ? at - 2 : at;
      await send(dataset, `k,v\nk${replaced},${at}\n`, at % 5 === 0 ? 'upsert' : 'append');
      const index = expected.findIndex((line) => line.startsWith(`k${replaced},`));
      if (index < 0) expected.push(`k${replaced},${at}`);
      else expected[index] = `k${replaced},${at}`;
    }
    stop.abort();
    await Promise.all(workers);
    const rows = expected.map((line) => line.replace(/(.*),(.*)/, '"$1",$2'));
    expect(await download(owner, dataset)).toBe(`"k","v"\n${rows.join('\n')}\n`);
    expect((await segmentsOf(dataset)).current).toBeLessThan(10);
  });

  it('is finished by the next worker when one dies while it swaps segments of versions', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, `d,k,v\n${'2024-01-01,first,1\n'.repeat(20)}`, 'replace');
    await appendMany(dataset, 4);
    // Older versions have a part of the joined segment, which is not the first of the next run.
    expect(await compact(dataset)).toBe(1);
    expect((await segmentsOf(dataset)).current).toBe(2);
    await appendMany(dataset, 4, 6);
    const copy = await clone(dataset, `copy led over of ${dataset}`);
    await appendMany(copy, 1, 20);
    const before = await allAnswers([dataset, copy]);
    const dying: CompactionSteps = {
      ...stepsOf(),
      finish: (published) => stepsOf().finish(published, AbortSignal.abort()),
    };
    expect(await compact(dataset, { steps: dying })).toBeGreaterThan(0);
    const states = () =>
      product.sql.query<{ state: string }>(
        `SELECT DISTINCT c.state FROM compactions c JOIN datasets d ON d.store_id = c.store_id WHERE d.id = $1 ORDER BY 1`,
        [dataset],
      );
    expect(await states()).toEqual([{ state: 'done' }, { state: 'swapping' }]);
    await appendMany(dataset, 1, 5);
    expect(await sweep()).toMatchObject({ abandonedCompactions: 0, missingSegments: 0 });
    await compact(dataset);
    expect(await states()).toEqual([{ state: 'done' }]);
    await sweep();
    const now = await allAnswers([dataset, copy]);
    for (const [key, text] of before) expect(now.get(key), key).toBe(text);
    expect((await segmentsOf(dataset)).current).toBeLessThan(3);
  });

  it('renews its lease while it waits for a dataset', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'd,k,v\n2024-01-01,first,1\n', 'replace');
    await appendMany(dataset, 3);
    const pool = createPool({
      databaseUrl: product.config.databaseUrl ?? '',
      maxConnections: 3,
      log: silentLog,
    });
    const sql = createSql(pool);
    const leases = new Set<string>();
    const leaseCount = async (): Promise<number> => {
      const [row] = await sql.query<{ lease: string }>(
        `SELECT j.held_until::text AS lease FROM jobs j JOIN compactions c ON c.store_id::text = j.subject
         WHERE j.name = 'compaction' AND c.state = 'swapping'`,
      );
      if (row !== undefined) leases.add(row.lease);
      return leases.size;
    };
    let compacting: Promise<number> | undefined;
    await sql.tx(async (tx) => {
      await tx.query('SELECT 1 FROM datasets WHERE id = $1 FOR NO KEY UPDATE', [dataset]);
      compacting = compact(dataset, { leases: leasesOf(product.sql, 1_000) });
      while ((await leaseCount()) < 4) await new Promise((resolve) => setTimeout(resolve, 20));
    });
    await pool.end();
    expect(await compacting).toBe(1);
  });

  describe('that fails', () => {
    const death = new Error('the worker dies here');
    /** Inserts rows into the target segment. */
    const insertInto = ([first]: readonly JoinedSegment[], { segment, place }: Target) => {
      const table = `${product.config.clickhouseDatabase}.s${insideOf(place).storeId}`;
      return product.clickhouse(
        `INSERT INTO ${table} (_seg, _row) SELECT ${segment}, _row FROM ${table} WHERE _seg = ${first?.id}`,
      );
    };
    /** A dead worker does not abandon its compaction. */
    const deadWorker = (): Parts => ({
      steps: { ...stepsOf(), abandon: async () => undefined },
      leases: noLeases,
    });
    let dataset: number;
    let before: Answers;

    beforeAll(async () => {
      dataset = await createDataset(owner);
      await send(dataset, 'd,k,v\n2024-01-01,first,1\n', 'replace');
      await appendMany(dataset, 3);
      before = await allAnswers([dataset]);
    });

    it.each<[why: string, join: Join]>([
      ['the worker dies before it copies a row', () => Promise.reject(death)],
      [
        'the worker dies in the middle of the copy',
        async (run, target) => {
          await insertInto(run, target);
          throw death;
        },
      ],
      [
        'the worker dies between the copy and the swap',
        async (...run) => {
          await joinOf()(...run);
          throw death;
        },
      ],
    ])('because %s leaves versions unchanged, and the sweep deletes the copy', async (_why, join) => {
      expect(await compact(dataset, { join, ...deadWorker() })).toBe(0);
      expect(await allAnswers([dataset])).toEqual(before);
      expect(await sweep()).toMatchObject({ abandonedCompactions: 1 });
      expect(await segmentsOf(dataset)).toMatchObject({ named: 4, stored: 4 });
    });

    it('because the worker lost its lease leaves versions unchanged', async () => {
      const join: Join = async (...run) => {
        const joined = await joinOf()(...run);
        await sweep();
        return joined;
      };
      expect(await compact(dataset, { join, ...deadWorker() })).toBe(0);
      expect(await allAnswers([dataset])).toEqual(before);
      expect(await segmentsOf(dataset)).toMatchObject({ named: 4, stored: 4 });
    });

    it('because the copy differs leaves versions unchanged', async () => {
      const join: Join = async (run, target, signal) => {
        await insertInto(run, target);
        return joinOf()(run, target, signal);
      };
      expect(await compact(dataset, { join })).toBe(0);
      await sweep();
      expect(await allAnswers([dataset])).toEqual(before);
      expect(await segmentsOf(dataset)).toMatchObject({ named: 4, stored: 4 });
    });

    it('because some rows of the run were not read, such as those of a removed shard, leaves versions unchanged', async () => {
      const join: Join = (run, target, signal) => joinOf()(run.slice(1), target, signal);
      expect(await compact(dataset, { join })).toBe(0);
      await sweep();
      expect(await allAnswers([dataset])).toEqual(before);
      expect(await segmentsOf(dataset)).toMatchObject({ named: 4, stored: 4 });
    });

    it('is repeated by the next compaction', async () => {
      expect(await compact(dataset)).toBe(1);
      await sweep();
      expect(await segmentsOf(dataset)).toMatchObject({ named: 1, stored: 1, current: 1 });
      expect(await allAnswers([dataset])).toEqual(before);
    });
  });
});
