/** The usage of an account includes exports that are still counted in memory. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { createExportCounts, type ExportCounts } from '../../../src/catalog/export-counts.js';
import { createQuotas, type Quotas } from '../../../src/catalog/quotas.js';
import { silentLog } from '../../../src/lib/log.js';
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
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Statements that have begun. */
let begun: number;
/** Each lets the first statement end its wait. */
let goOn: () => void;
let fail: (error: Error) => void;
let counts: ExportCounts;
let quotas: Quotas;
let accountId: number;
let accounts = 0;

beforeEach(async () => {
  accounts += 1;
  const [account] = await sql.query<{ id: number }>(
    `INSERT INTO accounts (name, plan) VALUES ($1, 'unlimited') RETURNING id`,
    [`reader ${accounts}`],
  );
  accountId = account?.id ?? 0;
  begun = 0;
  const held = new Promise<void>((resolve, reject) => {
    goOn = resolve;
    fail = reject;
  });
  const holding: Sql = {
    ...sql,
    async query(statement, values) {
      begun += 1;
      if (begun === 1) await held;
      return sql.query(statement, values);
    },
  };
  counts = createExportCounts({ sql: holding });
  quotas = createQuotas({ sql: holding, exportCounts: counts });
});

const read = (bytes: number): Promise<void> => counts.open(accountId).finish(bytes);

it('the use of an account has the exports that are being written, and those since then', async () => {
  await read(10);
  const writing = counts.flush();
  await turn();
  await read(5);
  const uses = Promise.all([quotas.use(accountId), quotas.use(accountId)]);
  await turn();
  expect(begun).toBe(1);
  goOn();
  await writing;
  for (const use of await uses) expect(use).toMatchObject({ exportsPerDay: 2, exportBytesPerDay: 15 });
  // Two writes and two reads: those who waited share a write.
  expect(begun).toBe(4);
});

it('exports whose write fails are written by those who wait for it', async () => {
  await read(10);
  const writing = counts.flush();
  await turn();
  const use = quotas.use(accountId);
  fail(new Error('no connection'));
  await expect(writing).rejects.toThrow('no connection');
  expect(await use).toMatchObject({ exportsPerDay: 1, exportBytesPerDay: 10 });
  await counts.flush();
  expect(await quotas.use(accountId)).toMatchObject({ exportsPerDay: 1, exportBytesPerDay: 10 });
});
