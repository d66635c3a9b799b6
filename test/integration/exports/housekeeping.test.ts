import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createBuilds } from '../../../src/exports/builds.js';
import type { ExportFiles } from '../../../src/exports/export-files.js';
import { createExportHousekeeping } from '../../../src/exports/housekeeping.js';
import { silentLog } from '../../../src/lib/log.js';
import { createLocalStorage } from '../../../src/storage/objects/local-storage.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import { createDatabase, type FreshDatabase } from '../../support/database.js';
import { publishVersion } from '../../support/published-version.js';
import { createDownloadServer } from '../query/download-server.js';
import { createStoredTables } from '../query/stored-table.js';

let database: FreshDatabase;
let pool: ReturnType<typeof createPool>;
let sql: Sql;
let folder: string;
const never = new AbortController().signal;

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  pool = createPool({ databaseUrl: database.databaseUrl, maxConnections: 4, log: silentLog });
  sql = createSql(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'housekeeping-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

let datasets = 0;
const newDataset = async (within: Sql): Promise<number> => {
  datasets += 1;
  const [dataset] = await within.query<{ id: number }>(
    `WITH account AS (
       INSERT INTO accounts (name, plan) VALUES ($1, 'unlimited') RETURNING id
     ), repository AS (
       INSERT INTO repositories (name, privacy, created_by) SELECT $1, 'Private', id FROM account RETURNING id
     ), storage AS (
       INSERT INTO stores DEFAULT VALUES RETURNING id
     )
     INSERT INTO datasets (repository_id, store_id, name, created_by)
     SELECT repository.id, storage.id, $1, account.id FROM repository, storage, account RETURNING id`,
    [`owner ${datasets}`],
  );
  return dataset?.id ?? 0;
};

const columns = [{ name: 'a', physical: 's' as const }];

/** Records the requested files. */
const recording = (prepare: ExportFiles['prepare']): ExportFiles => ({
  prepare,
  sweep: async () => 0,
  linkTo: async () => '',
  find: async () => {
    throw new Error('not called here');
  },
});

const housekeepingOf = (exportFiles: ExportFiles, { within = sql, aheadBytes = 1_000 } = {}) =>
  createExportHousekeeping({
    sql: within,
    exportFiles,
    builds: createBuilds({
      spoolFolder: join(folder, 'spool'),
      storage: createLocalStorage(folder),
      log: silentLog,
    }),
    aheadBytes,
    log: silentLog,
  });

/** Sets how old versions are. Within a transaction, their age stays. */
const setAge = (within: Sql, ids: readonly number[], seconds: number): Promise<unknown> =>
  within.query("UPDATE versions SET created_at = now() - $2 * interval '1 second' WHERE id = ANY ($1)", [
    ids,
    seconds,
  ]);

describe('files prepared in advance', () => {
  // Versions of earlier tests must not count as frequent uploads.
  beforeEach(() => sql.query("UPDATE versions SET created_at = created_at - interval '1 hour'"));

  it('are those of small versions published since the last run, each once', () =>
    sql.tx(async (tx) => {
      const before = await newDataset(tx);
      await publishVersion(tx, before, { columns, bytes: 10 });
      const made: number[] = [];
      const housekeeping = housekeepingOf(
        recording(async (_dataset, version) => void made.push(version)),
        { within: tx },
      );
      await housekeeping.prepareNew(never);
      const small = await publishVersion(tx, await newDataset(tx), { columns, bytes: 1_000 });
      await publishVersion(tx, await newDataset(tx), { columns, bytes: 1_001 });
      const replaced = await newDataset(tx);
      const earlier = await publishVersion(tx, replaced, { columns, bytes: 10 });
      const current = await publishVersion(tx, replaced, { columns, bytes: 10 });
      await setAge(tx, [earlier, current], 0);
      await housekeeping.prepareNew(never);
      await housekeeping.prepareNew(never);
      // A version that has just replaced another one may be replaced soon.
      expect(made).toEqual([small]);
      await setAge(tx, [current], 9);
      const last = await publishVersion(tx, await newDataset(tx), { columns, bytes: 10 });
      await housekeeping.prepareNew(never);
      expect(made).toEqual([small, last]);
      await setAge(tx, [current], 11);
      await housekeeping.prepareNew(never);
      await housekeeping.prepareNew(never);
      expect(made).toEqual([small, last, current]);
    }));

  it('are made at once for a version that replaces one older than ten seconds', async () => {
    const made: number[] = [];
    const housekeeping = housekeepingOf(recording(async (_dataset, version) => void made.push(version)));
    await housekeeping.prepareNew(never);
    const dataset = await newDataset(sql);
    const replaced = await publishVersion(sql, dataset, { columns, bytes: 10 });
    await setAge(sql, [replaced], 11);
    const current = await publishVersion(sql, dataset, { columns, bytes: 10 });
    await housekeeping.prepareNew(never);
    expect(made).toEqual([current]);
  });

  it('wait until frequent uploads end, for ten seconds at most', () =>
    sql.tx(async (tx) => {
      const made: number[] = [];
      const housekeeping = housekeepingOf(
        recording(async (_dataset, version) => void made.push(version)),
        { within: tx },
      );
      await housekeeping.prepareNew(never);
      const stream: number[] = [];
      for (let turn = 0; turn < 16; turn += 1)
        stream.push(await publishVersion(tx, await newDataset(tx), { columns, bytes: 10 }));
      const [first = 0, ...later] = stream;
      await setAge(tx, stream, 0);
      await housekeeping.prepareNew(never);
      expect(made).toEqual([]);
      await setAge(tx, [first], 11);
      // Keeps the rate of uploads.
      later.push(await publishVersion(tx, await newDataset(tx), { columns, bytes: 1_001 }));
      await setAge(tx, later, 0);
      await housekeeping.prepareNew(never);
      expect(made).toEqual([first]);
      await setAge(tx, later, 1);
      await housekeeping.prepareNew(never);
      expect(made).toEqual(stream);
    }));

  it('are made even if one of them fails', async () => {
    const requested: number[] = [];
    const housekeeping = housekeepingOf(
      recording(async (_dataset, version) => {
        requested.push(version);
        if (requested.length === 1) throw new Error('replaced');
      }),
    );
    await housekeeping.prepareNew(never);
    const first = await publishVersion(sql, await newDataset(sql), { columns, bytes: 1 });
    const second = await publishVersion(sql, await newDataset(sql), { columns, bytes: 1 });
    await housekeeping.prepareNew(never);
    expect(requested).toEqual([first, second]);
  });

  it('are not made if the size limit is 0', async () => {
    const made: number[] = [];
    const housekeeping = housekeepingOf(
      recording(async (_dataset, version) => void made.push(version)),
      { aheadBytes: 0 },
    );
    await housekeeping.prepareNew(never);
    await publishVersion(sql, await newDataset(sql), { columns, bytes: 0 });
    await housekeeping.prepareNew(never);
    expect(made).toEqual([]);
  });
});

describe('prepared files', () => {
  const files = async (path: string): Promise<string[]> =>
    (await readdir(path, { recursive: true })).filter((name) => name.endsWith('.csv'));

  it.each([
    ['are removed with their version', 86_400_000, async () => new Set<number>(), 0],
    ['are removed when they exceed the maximum age', -1, async (ids: readonly number[]) => new Set(ids), 0],
    [
      'stay while their version exists and they are young',
      86_400_000,
      async (ids: readonly number[]) => new Set(ids),
      1,
    ],
  ])('%s', async (_name, maxAgeMs, kept, left) => {
    const tables = await createStoredTables(inject('clickhouseUrl'));
    const server = await createDownloadServer(tables.reader, { maxAgeMs });
    try {
      const version = await tables.add(columns, [['x']]);
      await (await fetch(server.dataUrl(version))).text();
      await server.exportFiles.prepare(version.datasetId, version.versionId);
      expect(await files(join(server.folder, 'files'))).toHaveLength(1);
      await server.exportFiles.sweep(kept);
      expect(await files(join(server.folder, 'files'))).toHaveLength(left);
    } finally {
      await server.close();
      await tables.close();
    }
  });
});
