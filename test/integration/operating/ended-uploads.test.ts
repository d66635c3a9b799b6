/** Uploads that ended within a day are counted once by the samples. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { keepSample, readEndedUploads } from '../../../src/storage/postgres/ops-samples.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import { createDatabase, type FreshDatabase } from '../../support/database.js';

let database: FreshDatabase;
let pool: ReturnType<typeof createPool>;
let sql: Sql;
beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  pool = createPool({ databaseUrl: database.databaseUrl, maxConnections: 4, log: silentLog });
  sql = createSql(pool);
  await sql.query(`INSERT INTO accounts (name, plan) VALUES ('maker', 'unlimited')`);
  await sql.query(
    `INSERT INTO repositories (name, privacy, created_by) SELECT 'R', 'Private', id FROM accounts WHERE name = 'maker'`,
  );
  await sql.query(`INSERT INTO stores DEFAULT VALUES`);
  await sql.query(
    `INSERT INTO datasets (repository_id, store_id, name, created_by)
     SELECT r.id, s.id, 'D', r.created_by FROM repositories r, stores s WHERE r.name = 'R'`,
  );
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const end = (ago: string, more = `'completed', NULL, 1`): Promise<unknown> =>
  sql.query(
    `INSERT INTO processes (dataset_id, mode, created_by, request_id, phase, ended_at, status, error, attempt)
     SELECT id, 'replace', created_by, 'r', 'ready', now() - interval '${ago}', ${more} FROM datasets`,
  );
const failed = `'failed', '{"code": "bad_file", "message": "m"}', 2`;

const sample = {
  topics: [],
  pending: 0,
  oldestPendingSeconds: 0,
  deadLetters: 0,
  storeBytes: null,
  mostParts: null,
  down: [],
};
/** Makes the last sample a minute old. */
const nextSample = async (): Promise<void> => {
  await sql.query(`UPDATE ops_samples SET minute = minute - interval '1 minute'`);
  expect(await keepSample(sql, sample)).toBe(true);
};

it('ended uploads are counted once by status and code, before and after a sample', async () => {
  await end('25 hours');
  await end('2 hours');
  await end('2 hours', failed);
  await end('1 hour');
  await end('0 minutes');
  const all = [
    { status: 'completed', code: null, count: 3, replayed: 0 },
    { status: 'failed', code: 'bad_file', count: 1, replayed: 1 },
  ];
  expect(await readEndedUploads(sql)).toEqual(all);
  await nextSample();
  expect(await readEndedUploads(sql)).toEqual(all);
  await nextSample();
  expect(await readEndedUploads(sql)).toEqual(all);
  await end('1 minute', failed);
  expect(await readEndedUploads(sql)).toMatchObject([{ count: 3 }, { count: 2, replayed: 2 }]);
});

it('uploads that a sample has counted are not read again', async () => {
  const before = await readEndedUploads(sql);
  await sql.query(`DELETE FROM processes WHERE ended_at < now() - interval '30 minutes'`);
  expect(await readEndedUploads(sql)).toEqual(before);
});

it('uploads that ended more than a day ago are not counted', async () => {
  const [before] = await readEndedUploads(sql);
  await sql.query(
    `UPDATE ops_samples SET ended = (SELECT coalesce(jsonb_agg(
       jsonb_set(e, '{minute}', to_jsonb((e ->> 'minute')::timestamptz - interval '22.5 hours'))), '[]')
       FROM jsonb_array_elements(ended) e)`,
  );
  const [after] = await readEndedUploads(sql);
  expect(after?.count).toBe((before?.count ?? 0) - 1);
});
