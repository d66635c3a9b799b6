import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { holdSegments } from '../../../src/storage/postgres/held-segments.js';
import { createDatabaseWatchdog, createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import { createCutter } from '../../support/cutter.js';
import { createEmptyDatabase } from '../../support/database.js';
import { createGate } from '../../support/gate.js';

const scope = createScope(silentLog);
let sql: Sql;
let lost: Promise<void>;
let databaseUrl: string;

beforeAll(async () => {
  const database = await createEmptyDatabase(inject('databaseUrl'));
  databaseUrl = database.databaseUrl;
  await scope.defer('database', database.drop);
  const pool = createPool({ databaseUrl, maxConnections: 2, log: silentLog });
  await scope.defer('pool', () => pool.end());
  lost = new Promise((resolve) => {
    pool.on('acquire', (client) => client.once('end', resolve));
  });
  sql = createSql(pool);
});

afterAll(() => scope.close());

it('a connection that breaks between two statements of a transaction fails the next statement, and nothing else', async () => {
  const work = sql.tx(async (transaction) => {
    const [self] = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await sql.query('SELECT pg_terminate_backend($1)', [self?.pid]);
    await lost;
    await transaction.query('SELECT 1');
  });
  await expect(work).rejects.toThrow(/not queryable/);
  expect(await sql.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

const openProxy = async () => {
  const proxy = await createCutter(databaseUrl);
  await scope.defer('proxy', proxy.close);
  const pool = createPool({ databaseUrl: proxy.url, maxConnections: 1, statementMs: 500, log: silentLog });
  await scope.defer('pool behind the proxy', () => pool.end());
  const sqlOverProxy = createSql(pool);
  expect(await sqlOverProxy.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  return { proxy, sqlOverProxy };
};

it('an unresponsive connection fails its statement, and the next statement gets a new connection', async () => {
  const [alone, within] = [await openProxy(), await openProxy()];
  alone.proxy.goDead();
  const work = within.sqlOverProxy.tx(async (transaction) => {
    await transaction.query('SELECT 2');
    within.proxy.goDead();
    await transaction.query('SELECT 3');
  });
  const failures = await Promise.allSettled([alone.sqlOverProxy.query('SELECT 4'), work]);
  for (const failure of failures)
    expect(failure).toMatchObject({ status: 'rejected', reason: { code: 'ETIMEDOUT' } });
  for (const { sqlOverProxy } of [alone, within])
    expect(await sqlOverProxy.query('SELECT 5 AS five')).toEqual([{ five: 5 }]);
});

it('a server that hangs fails all that wait for it together, also for a connection', async () => {
  const gate = await createGate(databaseUrl);
  await scope.defer('gate', gate.close);
  const pool = createPool({
    databaseUrl: gate.url,
    maxConnections: 1,
    connectMs: 3_600_000,
    log: silentLog,
  });
  await scope.defer('pool behind the gate', () => pool.end());
  // The watchdog must not judge how long the first connection takes.
  expect(await createSql(pool).query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  gate.freeze();
  const watchdog = createDatabaseWatchdog({ databaseUrl: gate.url, silenceMs: 1_000 });
  await scope.defer('watchdog', watchdog.close);
  const watched = createSql(pool, watchdog);
  const failures = await Promise.allSettled([1, 2, 3].map(() => watched.query('SELECT 2')));
  for (const failure of failures)
    expect(failure).toMatchObject({ status: 'rejected', reason: { code: 'ETIMEDOUT' } });
  gate.thaw();
  await expect
    .poll(() => watched.query('SELECT 3 AS three').catch((error: Error) => error.message))
    .toEqual([{ three: 3 }]);
});

it('a hold on segments is lost when its connection goes dead without an error', async () => {
  const proxy = await createCutter(databaseUrl);
  await scope.defer('proxy of the hold', proxy.close);
  const hold = await holdSegments(proxy.url);
  await hold.requireHeld();
  proxy.goDead();
  await expect(hold.requireHeld(500)).rejects.toThrow('held rows back was lost');
  await hold.release();
});
