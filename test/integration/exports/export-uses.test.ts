/** Checks of the limits that run at the same time know of every use. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createExportFolder, type ExportFolder } from '../../../src/exports/export-folder.js';
import { silentLog } from '../../../src/lib/log.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import { createDatabase, type FreshDatabase } from '../../support/database.js';

let database: FreshDatabase;
let pool: ReturnType<typeof createPool>;
let sql: Sql;
const datasets: number[] = [];

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  pool = createPool({ databaseUrl: database.databaseUrl, maxConnections: 4, log: silentLog });
  sql = createSql(pool);
  // An account may only use a quarter of the total, so each file has its own.
  const made = await sql.query<{ id: number }>(
    `WITH account AS (
       INSERT INTO accounts (name, plan) SELECT 'owner ' || n, 'unlimited' FROM generate_series(1, 3) n RETURNING id
     ), repository AS (
       INSERT INTO repositories (name, privacy, created_by) SELECT 'r', 'Private', id FROM account
       RETURNING id, created_by
     ), storage AS (
       INSERT INTO stores DEFAULT VALUES RETURNING id
     )
     INSERT INTO datasets (repository_id, store_id, name, created_by)
     SELECT repository.id, storage.id, 'd', created_by FROM repository, storage RETURNING id`,
  );
  datasets.push(...made.map(({ id }) => id));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Runs instead of the next transaction of the folder. */
let instead: Sql['tx'] | undefined;
/** A minute ago. */
const startMs = performance.now() - 60_000;
let deleted: string[];
let folder: ExportFolder;

/** Adds the file of a dataset that was complete at this second. */
const add = (key: string, at: number, second = at): Promise<void> =>
  folder.add({
    key,
    datasetId: datasets[at] ?? 0,
    size: 100,
    storedAtMs: Date.now(),
    madeAt: startMs + second * 1_000,
  });

beforeEach(async () => {
  await sql.query('DELETE FROM export_files');
  instead = undefined;
  deleted = [];
  folder = createExportFolder({
    sql: {
      ...sql,
      tx: (work) => {
        const run = instead ?? sql.tx;
        instead = undefined;
        return run(work);
      },
    },
    storage: { delete: async (key) => void deleted.push(key) },
    maxBytes: 250,
    maxAgeMs: 3_600_000,
    log: silentLog,
  });
  await add('used again', 0);
  await add('used once', 1);
});

it('files are listed in the order in which they were stored, however late they are added', async () => {
  await sql.query('DELETE FROM export_files');
  await add('second', 1);
  await add('first', 0);
  await add('third', 2);
  expect(deleted).toEqual(['first']);
});

describe('a file that was used again stays', () => {
  it('while an earlier check waits for its connection', async () => {
    let connect = (): void => undefined;
    const connected = new Promise<void>((resolve) => {
      connect = resolve;
    });
    folder.use('used again');
    instead = async (work) => {
      await connected;
      return sql.tx(work);
    };
    const check = folder.enforceLimits();
    await add('new', 2);
    connect();
    await check;
    expect(deleted).toEqual(['used once']);
  });

  it('after a check that failed', async () => {
    folder.use('used again');
    instead = () => Promise.reject(new Error('no connection'));
    await expect(folder.enforceLimits()).rejects.toThrow('no connection');
    await add('new', 2);
    expect(deleted).toEqual(['used once']);
  });

  it('if it was used while a check ended', async () => {
    folder.use('used again');
    instead = async (work) => {
      const result = await sql.tx(work);
      await sql.query(`UPDATE export_files SET used_at = now() WHERE key = 'used once'`);
      folder.use('used again');
      return result;
    };
    await folder.enforceLimits();
    await add('new', 2, 120);
    expect(deleted).toEqual(['used once']);
  });
});
