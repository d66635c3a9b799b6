import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import { createEmptyDatabase } from '../../support/database.js';

const scope = createScope(silentLog);
let sql: Sql;
let lost: Promise<void>;

beforeAll(async () => {
  const { databaseUrl, drop } = await createEmptyDatabase(inject('databaseUrl'));
  await scope.defer('database', drop);
  const pool = createPool({ databaseUrl, maxConnections: 2, log: silentLog });
  await scope.defer('pool', () => pool.end());
  lost = new Promise((resolve) => {
    pool.on('acquire', (client) => client.once('end', resolve));
  });
  sql = createSql(pool);
});

afterAll(() => scope.close());

it('a connection that breaks between two statements of a transaction fails the next one, and nothing else', async () => {
  const work = sql.tx(async (transaction) => {
    const [self] = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await sql.query('SELECT pg_terminate_backend($1)', [self?.pid]);
    await lost;
    await transaction.query('SELECT 1');
  });
  await expect(work).rejects.toThrow(/not queryable/);
  expect(await sql.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});
