import { appendFile, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { migrate } from '../../../src/storage/postgres/migrate.js';
import { readSchema } from '../../../src/storage/postgres/schema.js';
import { createDatabase, type FreshDatabase } from '../../support/database.js';
import { createEmptyDatabase } from '../../support/empty-database.js';
import { createGate } from '../../support/gate.js';
import { patienceMs } from '../../support/patience.js';

let database: FreshDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const rows = async (text: string): Promise<unknown[]> => (await client.query(text)).rows;

const up = (folder?: string): Promise<string[]> =>
  migrate({ databaseUrl: database.databaseUrl, log: silentLog, ...(folder === undefined ? {} : { folder }) });

/** Copies the migrations of this build and applies `change`. */
const changedFolder = async (change: (folder: string) => Promise<void>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(readSchema().folder, folder, { recursive: true });
  await change(folder);
  return folder;
};

const later = '2000000000000_later';

/** Copies the migrations of this build and adds one of a later release. */
const laterFolder = (text: string): Promise<string> =>
  changedFolder((folder) => writeFile(join(folder, `${later}.sql`), `-- Up Migration\n\n${text}\n`));

/** Schema of the database, for comparison. */
const contents = (): Promise<unknown[]> =>
  rows(`SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = current_schema()::regnamespace ORDER BY 1, 2`);

describe('migrations', () => {
  it('create the schema of this build, once, and record its baseline', async () => {
    const empty = await createEmptyDatabase(inject('databaseUrl'));
    onTestFinished(() => empty.drop());
    const run = () => migrate({ databaseUrl: empty.databaseUrl, log: silentLog });
    expect(await run()).toEqual(readSchema().names);
    expect(await run()).toEqual([]);
    expect(await rows(`SELECT value FROM settings WHERE name = 'schema_baseline'`)).toEqual([
      { value: readSchema().baseline },
    ]);
  });

  it('continue where a run was interrupted', async () => {
    const empty = await createEmptyDatabase(inject('databaseUrl'));
    onTestFinished(() => empty.drop());
    const run = (most?: number) =>
      migrate({ databaseUrl: empty.databaseUrl, log: silentLog, ...(most === undefined ? {} : { most }) });
    const first = await run(2);
    expect(first).toHaveLength(2);
    expect([...first, ...(await run())]).toEqual(readSchema().names);
  });

  it('refuse a database of a build that had no baseline, and change nothing', async () => {
    const old = await createEmptyDatabase(inject('databaseUrl'));
    onTestFinished(() => old.drop());
    const earlier = new pg.Client({ connectionString: old.databaseUrl });
    await earlier.connect();
    try {
      await earlier.query(`
        CREATE TABLE schema_migrations (id serial PRIMARY KEY, name varchar(255) NOT NULL, run_on timestamp NOT NULL);
        INSERT INTO schema_migrations (name, run_on) VALUES ('1700000000100_catalog', now());
        CREATE TABLE accounts (id bigint)`);
      const attempt = migrate({ databaseUrl: old.databaseUrl, log: silentLog });
      await expect(attempt).rejects.toMatchObject({
        code: 'other_baseline',
        message: expect.stringContaining('start with an empty data folder'),
      });
      const { rows: tables } = await earlier.query(
        `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY 1`,
      );
      expect(tables).toEqual([{ relname: 'accounts' }, { relname: 'schema_migrations' }]);
    } finally {
      await earlier.end();
    }
  });

  it('refuse a database whose baseline was edited afterwards, even if its migration is not finished', async () => {
    const edited = await changedFolder(async (folder) => {
      const [first = ''] = (await readdir(folder)).sort();
      await appendFile(join(folder, first), '-- edited\n');
    });
    const before = await contents();
    await expect(up(edited)).rejects.toMatchObject({ code: 'other_baseline' });
    expect(await contents()).toEqual(before);
    const broken = await createEmptyDatabase(inject('databaseUrl'));
    onTestFinished(() => broken.drop());
    await migrate({ databaseUrl: broken.databaseUrl, log: silentLog, most: 1 });
    await expect(
      migrate({ databaseUrl: broken.databaseUrl, log: silentLog, folder: edited }),
    ).rejects.toMatchObject({ code: 'other_baseline' });
  });

  it('refuse a database that a newer version has migrated, and change nothing', async () => {
    expect(await up(await laterFolder('CREATE TABLE later (id bigint);'))).toEqual([later]);
    const before = await contents();
    await expect(up()).rejects.toMatchObject({
      code: 'newer_database',
      message: expect.stringContaining(later),
    });
    expect(await contents()).toEqual(before);
    await client.query(`DROP TABLE later; DELETE FROM schema_migrations WHERE name = '${later}'`);
    expect(await up()).toEqual([]);
  });

  it('yield to running processes, whose transactions are never the victim of a deadlock', async () => {
    const folder = await laterFolder(
      'LOCK TABLE accounts; LOCK TABLE names; ALTER TABLE names ADD COLUMN later integer;',
    );
    const running = new pg.Client({ connectionString: database.databaseUrl });
    await running.connect();
    try {
      // Otherwise its server process could be the first to notice the deadlock, if that of the migration stalls.
      await running.query(`SET deadlock_timeout = '1h'`);
      await running.query('BEGIN');
      // The migration locks `accounts` before `names`; this transaction does the opposite.
      await running.query('LOCK TABLE names IN ROW EXCLUSIVE MODE');
      const migrating = up(folder);
      await expect
        .poll(() => rows(`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'names'::regclass`))
        .toHaveLength(1);
      await running.query('SELECT count(*) FROM accounts');
      await running.query('COMMIT');
      expect(await migrating).toEqual([later]);
    } finally {
      await running.end();
    }
    await client.query(
      `ALTER TABLE names DROP COLUMN later; DELETE FROM schema_migrations WHERE name = '${later}'`,
    );
  });

  it('wait for a database that is not up yet', async () => {
    // A proxy in front of it accepts connections and closes them.
    const gate = await createGate(database.databaseUrl);
    onTestFinished(() => gate.close());
    gate.shut();
    const warned: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) });
    const waiting = migrate({ databaseUrl: gate.url, log, waitMs: patienceMs });
    await expect.poll(() => warned.join('')).toContain('waiting for the database');
    gate.open();
    expect(await waiting).toEqual([]);
    gate.shut();
    await expect(migrate({ databaseUrl: gate.url, log: silentLog })).rejects.toMatchObject({
      code: 'no_connection',
      cause: { code: 'ECONNRESET' },
    });
    const nowhere = new URL(database.databaseUrl);
    nowhere.host = '127.0.0.1:1';
    await expect(migrate({ databaseUrl: nowhere.href, log: silentLog })).rejects.toMatchObject({
      code: 'no_connection',
      cause: { code: 'ECONNREFUSED' },
    });
  });
});
