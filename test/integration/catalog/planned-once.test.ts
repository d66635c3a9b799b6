/** PostgreSQL plans each statement once per connection, because planning costs several times its execution. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Catalog, createCatalog } from '../../../src/catalog/catalog.js';
import { silentLog } from '../../../src/lib/log.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import { createDatabase } from '../../support/database.js';

let sql: Sql;
let catalog: Catalog;
let close: () => Promise<void>;
beforeAll(async () => {
  const database = await createDatabase(inject('databaseUrl'));
  // Prepared statements belong to a connection.
  const pool = createPool({ databaseUrl: database.databaseUrl, maxConnections: 1, log: silentLog });
  sql = createSql(pool);
  catalog = createCatalog({ sql });
  close = async () => {
    await pool.end();
    await database.drop();
  };
});
afterAll(() => close());

/** Calls after which PostgreSQL considers a generic plan. */
const calls = 5;

it('PostgreSQL plans each statement that checks a key or session or reads a dataset at most five times', async () => {
  const account = await catalog.accounts.create({ name: 'ada', plan: 'unlimited' });
  const { id: keyId, key } = await catalog.keys.create(account.id, { name: 'test' });
  const [home] = await sql.query<{ id: number }>('SELECT id FROM repositories WHERE is_home');
  const caller = await catalog.authenticate(key);
  const { id } = await catalog.datasets.create(caller, home!.id, { name: 'prices' });
  const { token } = await catalog.sessions.open(keyId);
  for (let turn = 0; turn < 4 * calls; turn += 1) {
    await catalog.datasets.read(await catalog.authenticate(key, id), id);
    await catalog.access.dataset(await catalog.sessions.authenticate(token), id, 'Read', 'read');
  }
  const statements = await sql.query<{ statement: string; custom_plans: number }>(
    'SELECT statement, custom_plans FROM pg_prepared_statements WHERE custom_plans + generic_plans > 1',
  );
  expect(statements.length).toBeGreaterThanOrEqual(5);
  expect(statements.filter(({ custom_plans }) => custom_plans > calls)).toEqual([]);
});
