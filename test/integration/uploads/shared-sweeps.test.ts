import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSharedTurn } from '../../../src/storage/postgres/settings.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import { createSweeper } from '../../../src/versions/sweeper.js';
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

const hourMs = 3_600_000;

/** The turn was taken so many hours ago. */
const hoursPass = (name: string, hours: number): Promise<unknown> =>
  sql.query(
    `UPDATE settings SET value = (value::timestamptz - $2 * interval '1 hour')::text WHERE name = $1`,
    [name, hours],
  );

const noUploads = { abandoned: 0, expired: 0 };
const nothing = { segments: 0, stores: 0 };

/** A worker's sweeper, and what it did. */
const sweeperOf = (name: string, sweep: () => Promise<unknown> = async () => nothing) => {
  const did: string[] = [];
  const sweeper = createSweeper({
    uploads: async () => noUploads as never,
    storage: {
      release: async () => {
        did.push('release');
        return nothing;
      },
      sweep: async () => {
        did.push('sweep');
        return (await sweep()) as never;
      },
    },
    // Only what the test asks for.
    intervalMs: hourMs,
    storageIntervalMs: hourMs,
    turn: createSharedTurn(sql, name),
    log: silentLog,
  });
  return { sweeper, did };
};

describe('sweeps of several workers', () => {
  it('are made by each at its start, and then by one of them', async () => {
    const one = sweeperOf('turn 1');
    const other = sweeperOf('turn 1');
    for (const { sweeper } of [one, other, one, other]) await sweeper.sweep();
    expect([one.did, other.did]).toEqual([
      ['sweep', 'release'],
      ['sweep', 'release'],
    ]);
    await hoursPass('turn 1', 1);
    await Promise.all([one.sweeper.sweep(), other.sweeper.sweep()]);
    expect([...one.did.slice(2), ...other.did.slice(2)].sort()).toEqual(['release', 'sweep']);
    await Promise.all([one.sweeper.close(), other.sweeper.close()]);
  });

  it('are made by the next one when one comes to nothing', async () => {
    let fails = false;
    const one = sweeperOf('turn 2', async () => {
      if (fails) throw new Error('ClickHouse is away');
      return nothing;
    });
    const other = sweeperOf('turn 2');
    await other.sweeper.sweep();
    await one.sweeper.sweep();
    await hoursPass('turn 2', 1);
    fails = true;
    await expect(one.sweeper.sweep()).rejects.toThrow('ClickHouse is away');
    await other.sweeper.sweep();
    expect(other.did).toEqual(['sweep', 'sweep']);
    await Promise.all([one.sweeper.close(), other.sweeper.close()]);
  });
});
