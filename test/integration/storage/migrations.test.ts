import { type AddressInfo, connect, createServer } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { segmentsOf } from '../../../src/rows/segment-ranges.js';
import { migrate } from '../../../src/storage/postgres/migrate.js';
import { createDatabase, type FreshDatabase } from '../../support/database.js';
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

const up = (): Promise<string[]> => migrate({ databaseUrl: database.databaseUrl, log: silentLog });

/** Undoes migrations up to and with this one. */
const downBefore = async (name: string): Promise<void> => {
  for (;;) {
    const undone = await migrate({ databaseUrl: database.databaseUrl, log: silentLog, direction: 'down' });
    if (undone.length === 0) throw new Error(`there is no migration ${name}`);
    if (undone.some((done) => done.includes(name))) return;
  }
};

/** Two datasets of one store as the first release keeps them; the second one is a clone. */
const oldData = `
  INSERT INTO accounts (name, plan) VALUES ('owner', 'unlimited');
  INSERT INTO repositories (name, privacy, created_by) SELECT 'r', 'Public', id FROM accounts;
  INSERT INTO stores DEFAULT VALUES;
  INSERT INTO datasets (repository_id, store_id, name, created_by)
    SELECT r.id, s.id, n, r.created_by FROM repositories r, stores s, unnest(ARRAY['a', 'b']) n;
  INSERT INTO segments (id, store_id, process_id, rows, bytes)
    SELECT 1000 * n + 1, s.id, n, 10, 100 FROM stores s, generate_series(1, 5) n;
  INSERT INTO versions (dataset_id, mode, columns, row_count, byte_size)
    SELECT d.id, 'append', c::jsonb, 0, 0 FROM datasets d,
      unnest(ARRAY['[{"id":1,"name":"a"}]', '[{"id":1,"name":"a"}]', '[{"id":2,"name":"b"}]', '[{"id":1,"name":"a"}]'])
      WITH ORDINALITY AS l (c, place) ORDER BY d.id, place;
  INSERT INTO version_segments (version_id, segment_id, row_limit)
    SELECT v.id, s.segment, s.rows
    FROM (SELECT id, row_number() OVER (PARTITION BY dataset_id ORDER BY id) AS place FROM versions) v
      JOIN (VALUES (1, 1001, 5), (2, 1001, NULL), (2, 2001, NULL), (3, 3001, NULL), (4, 1001, NULL), (4, 2001, 7))
        AS s (place, segment, rows) USING (place);
  UPDATE datasets d SET current_version_id = (SELECT max(id) FROM versions v WHERE v.dataset_id = d.id);`;

const listed = 'SELECT version_id, segment_id, row_limit FROM version_segments ORDER BY 1, 2';

describe('migrations', () => {
  it('move the columns of versions into lists and their segments into ranges, and back', async () => {
    await downBefore('column_lists');
    await client.query(oldData);
    const before = await rows('SELECT id, columns FROM versions ORDER BY id');
    const segments = await rows(listed);
    expect(segments).toHaveLength(12);
    await up();
    expect(await rows('SELECT dataset_id, columns FROM column_lists ORDER BY id')).toHaveLength(4);
    const joined = `SELECT v.id, l.columns FROM versions v
      JOIN column_lists l ON l.id = v.column_list_id AND l.dataset_id = v.dataset_id ORDER BY v.id`;
    expect(await rows(joined)).toEqual(before);
    const ranges = `SELECT v.id AS version_id, s.segment_id, s.row_limit
      FROM versions v, LATERAL (${segmentsOf('v.dataset_id', 'v.id')}) s ORDER BY 1, 2`;
    expect(await rows(ranges)).toEqual(segments);
    expect(await rows('SELECT 1 FROM segment_ranges')).toHaveLength(12);
    await downBefore('column_lists');
    expect(await rows('SELECT id, columns FROM versions ORDER BY id')).toEqual(before);
    expect(await rows(listed)).toEqual(segments);
    await up();
  });

  it('refuse a database that a newer version has migrated, and change nothing', async () => {
    await up();
    await client.query(`INSERT INTO schema_migrations (name, run_on) VALUES ('1799999999999_later', now())`);
    await expect(up()).rejects.toMatchObject({
      code: 'newer_database',
      message: expect.stringContaining('1799999999999_later'),
    });
    await client.query(`DELETE FROM schema_migrations WHERE name = '1799999999999_later'`);
    expect(await up()).toEqual([]);
  });

  it('give way to running processes, none of whose transactions is the victim of a deadlock', async () => {
    await up();
    await downBefore('name_skeletons');
    const running = new pg.Client({ connectionString: database.databaseUrl });
    await running.connect();
    try {
      await running.query('BEGIN');
      // The migration locks `accounts` first and `names` after it; this transaction takes them the other way round.
      await running.query('LOCK TABLE names IN ROW EXCLUSIVE MODE');
      const migrating = up();
      await expect
        .poll(() => rows(`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'names'::regclass`))
        .toHaveLength(1);
      await running.query('SELECT count(*) FROM accounts');
      await running.query('COMMIT');
      expect((await migrating).some((name) => name.includes('name_skeletons'))).toBe(true);
    } finally {
      await running.end();
    }
  });

  it('wait for a database that is not up yet', async () => {
    await up();
    const address = new URL(database.databaseUrl);
    const server = { port: Number(address.port), host: address.hostname };
    const proxy = createServer((socket) => {
      const upstream = connect(server);
      socket.pipe(upstream).pipe(socket);
      for (const side of [socket, upstream]) side.on('error', () => side.destroy());
    });
    const listen = (port: number): Promise<number> =>
      new Promise((resolve) => {
        proxy.listen(port, '127.0.0.1', () => resolve((proxy.address() as AddressInfo).port));
      });
    const port = await listen(0);
    await new Promise((resolve) => proxy.close(resolve));
    address.port = String(port);
    address.hostname = '127.0.0.1';
    const warned: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) });
    const waiting = migrate({ databaseUrl: address.href, log, waitMs: patienceMs });
    await expect.poll(() => warned.join('')).toContain('waiting for the database');
    await listen(port);
    try {
      expect(await waiting).toEqual([]);
    } finally {
      proxy.close();
    }
    await expect(migrate({ databaseUrl: address.href, log: silentLog })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });
});
