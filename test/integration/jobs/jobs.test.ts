import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { JobsOptions } from '../../../src/jobs/jobs.js';
import { listJobs, runJobNow, trimJobs } from '../../../src/jobs/records.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope, type Scope } from '../../../src/lib/scope.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import { createDatabase, type FreshDatabase } from '../../support/database.js';
import { jobsOf } from '../../support/jobs.js';
import { leasesOf } from '../../support/leases.js';

let database: FreshDatabase;
let pool: ReturnType<typeof createPool>;
let sql: Sql;
let scopes: Scope[];

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  pool = createPool({ databaseUrl: database.databaseUrl, maxConnections: 8, log: silentLog });
  sql = createSql(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

beforeEach(async () => {
  scopes = [];
  await sql.query('DELETE FROM jobs');
});

afterEach(async () => {
  for (const scope of scopes) await scope.close();
});

const hourMs = 3_600_000;

/** Opens a process that runs jobs. */
const open = async (options: Partial<JobsOptions> = {}) => {
  const scope = createScope(silentLog);
  scopes.push(scope);
  const process = randomUUID();
  return { scope, process, jobs: await jobsOf(sql, scope, { process, ...options }) };
};

const stateOf = async (name: string) => (await listJobs(sql)).find((job) => job.name === name);

/** Expires the lease of a job, which its holder cannot renew. */
const expireLease = (name: string) =>
  sql.query(
    "UPDATE jobs SET held_until = now() - interval '1 second', lease = gen_random_uuid() WHERE name = $1",
    [name],
  );

describe('a job of the installation', () => {
  it('runs in one process at a time, repeatedly', async () => {
    let running = 0;
    let peak = 0;
    const runs = [0, 0, 0];
    for (const at of runs.keys()) {
      const { jobs, scope } = await open();
      await jobs.start('segment-hashes', {
        everyMs: 20,
        scope,
        async run() {
          running += 1;
          peak = Math.max(peak, running);
          await sleep(5);
          running -= 1;
          runs[at] = (runs[at] ?? 0) + 1;
        },
      });
    }
    await expect.poll(() => runs.reduce((sum, count) => sum + count)).toBeGreaterThan(8);
    expect(peak).toBe(1);
  });

  it('is taken over by another process when its lease expires, which aborts the previous run', async () => {
    const takenOver: string[] = [];
    const first = await open({ leaseMs: 300 });
    let lost = false;
    let continued = (): void => undefined;
    const other = new Promise<void>((resolve) => {
      continued = resolve;
    });
    await first.jobs.start('row-drops', {
      everyMs: hourMs,
      firstAfterMs: 0,
      scope: first.scope,
      async run(stop) {
        if (!stop.aborted) await once(stop, 'abort');
        lost = true;
        // Blocks until the other one has taken over, otherwise this one would continue.
        await other;
      },
    });
    await expect.poll(async () => (await stateOf('row-drops'))?.state).toBe('running');
    const second = await open({ onTakenOver: (name) => takenOver.push(name) });
    await second.jobs.start('row-drops', {
      everyMs: hourMs,
      scope: second.scope,
      run: async () => {
        await expect.poll(() => lost).toBe(true);
        continued();
      },
    });
    await expireLease('row-drops');
    await other;
    expect(takenOver).toEqual(['row-drops']);
    await expect.poll(() => stateOf('row-drops')).toMatchObject({ state: 'waiting', failure: null });
  });

  it('is taken over by another process at once when its process stops', async () => {
    const first = await open();
    await first.jobs.start('storage-sweep', {
      everyMs: hourMs,
      firstAfterMs: 0,
      scope: first.scope,
      async run(stop) {
        await once(stop, 'abort');
        throw new Error('broken off');
      },
    });
    await expect.poll(async () => (await stateOf('storage-sweep'))?.state).toBe('running');
    const second = await open();
    let continued = false;
    await second.jobs.start('storage-sweep', {
      everyMs: hourMs,
      scope: second.scope,
      run: async () => {
        continued = true;
      },
    });
    await first.scope.close();
    await expect.poll(() => continued).toBe(true);
    await expect.poll(() => stateOf('storage-sweep')).toMatchObject({ failure: null, failures: 0 });
  });

  it('runs again at once when its lease was not renewed in time and no process has taken it over', async () => {
    const { jobs, scope } = await open({ leaseMs: 300 });
    let runs = 0;
    await jobs.start('segment-hashes', {
      everyMs: hourMs,
      firstAfterMs: 0,
      scope,
      async run(stop) {
        runs += 1;
        if (runs > 1) return;
        await sql.query('ALTER TABLE jobs RENAME TO away');
        try {
          if (!stop.aborted) await once(stop, 'abort');
        } finally {
          await sql.query('ALTER TABLE away RENAME TO jobs');
        }
        stop.throwIfAborted();
      },
    });
    await expect.poll(() => runs).toBe(2);
    await expect
      .poll(() => stateOf('segment-hashes'))
      .toMatchObject({
        state: 'waiting',
        failure: null,
        lastRunAt: expect.any(String),
      });
  });

  it('shows its failure until it succeeds, and runs again after the interval', async () => {
    const outcomes: string[] = [];
    const { jobs, scope } = await open({ onRun: (_name, outcome) => outcomes.push(outcome) });
    let fails = true;
    await jobs.start('trims', {
      everyMs: 100,
      scope,
      run: async () => {
        if (fails) throw new Error('the disk is full');
      },
    });
    await expect.poll(async () => (await stateOf('trims'))?.failures).toBeGreaterThan(1);
    expect(await stateOf('trims')).toMatchObject({ failure: 'the disk is full', subject: 'installation' });
    fails = false;
    await expect.poll(() => stateOf('trims')).toMatchObject({ failure: null, failures: 0 });
    expect(outcomes.slice(0, 2)).toEqual(['failed', 'failed']);
    expect(outcomes).toContain('completed');
  });

  it('runs when an operator requests it, and once more if it was running then', async () => {
    const { jobs, scope } = await open();
    let runs = 0;
    let end = (): void => undefined;
    await jobs.start('search-index', {
      everyMs: hourMs,
      scope,
      async run() {
        runs += 1;
        await new Promise<void>((resolve) => {
          end = resolve;
        });
      },
    });
    await runJobNow(sql, 'search-index');
    await expect.poll(() => runs).toBe(1);
    await runJobNow(sql, 'search-index');
    end();
    await expect.poll(() => runs).toBe(2);
    end();
    await expect.poll(async () => (await stateOf('search-index'))?.state).toBe('waiting');
    await expect(runJobNow(sql, 'sweeping')).rejects.toThrow('There is no job sweeping');
    await expect(runJobNow(sql, 'compaction')).rejects.toThrow('No process has started the job compaction');
  });

  it('keeps its schedule when a process starts, unless it runs at start', async () => {
    const job = { everyMs: hourMs, run: async () => undefined };
    const first = await open();
    await first.jobs.start('trims', { ...job, scope: first.scope });
    await sql.query("UPDATE jobs SET run_at = now() + interval '1 minute' WHERE name = 'trims'");
    const second = await open();
    await second.jobs.start('trims', { ...job, scope: second.scope });
    const due = Date.parse(`${(await stateOf('trims'))?.nextRunAt}Z`);
    expect(due).toBeLessThan(Date.now() + 120_000);
    const third = await open();
    await third.jobs.start('trims', { ...job, firstAfterMs: 0, scope: third.scope });
    await expect.poll(async () => (await stateOf('trims'))?.lastRunAt).not.toBeNull();
  });
});

describe('a job of each process', () => {
  it('runs in all of them, and does not wait for other jobs', async () => {
    const ran = new Set<string>();
    for (const turn of ['one', 'other']) {
      const { jobs, scope } = await open();
      await jobs.start('compaction', { everyMs: 20, scope, run: async () => void ran.add(turn) });
      await jobs.start('storage-sweep', {
        everyMs: hourMs,
        firstAfterMs: 0,
        scope,
        run: async (stop) => void (stop.aborted || (await once(stop, 'abort'))),
      });
    }
    await expect.poll(() => [...ran].sort()).toEqual(['one', 'other']);
    const before = ran.size;
    ran.clear();
    await expect.poll(() => ran.size).toBe(before);
  });
});

describe('leases', () => {
  it('let one process at a time work on a subject', async () => {
    const [one, other] = [leasesOf(sql), leasesOf(sql)];
    const outcome = await one.whileHeld('drops', 7, async () => [
      await other.whileHeld('drops', 7, async () => 'twice'),
      await other.whileHeld('drops', 8, async () => 'another thing'),
    ]);
    expect(outcome).toEqual([undefined, 'another thing']);
    expect(await other.whileHeld('drops', 7, async () => 'afterwards')).toBe('afterwards');
    expect(await sql.query('SELECT 1 FROM jobs')).toEqual([]);
  });

  it('are released when the work fails', async () => {
    const leases = leasesOf(sql);
    const failing = leases.whileHeld('drops', '', async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await leases.whileHeld('drops', '', async () => 'again')).toBe('again');
  });

  it('return the result of work even if they cannot be released', async () => {
    const outcome = await leasesOf(sql).whileHeld('drops', 3, async () => {
      await sql.query('ALTER TABLE jobs RENAME TO away');
      return 'done';
    });
    await sql.query('ALTER TABLE away RENAME TO jobs');
    expect(outcome).toBe('done');
  });

  it('on requests to providers are not shown to operators', async () => {
    const shown = async () => (await listJobs(sql)).map(({ name, subject }) => [name, subject]);
    const leases = leasesOf(sql);
    const outcome = await leases.whileHeld('fetch', 'ab12', () => leases.whileHeld('drops', 5, shown));
    expect(outcome).toEqual([['drops', '5']]);
  });

  it('pass to another process when they expire, which aborts the signal of the holder', async () => {
    const outcome = await leasesOf(sql, 300).whileHeld('drops', '', async (lost) => {
      await expireLease('drops');
      const taken = await leasesOf(sql).whileHeld('drops', '', async () => {
        if (!lost.aborted) await once(lost, 'abort');
        return 'taken';
      });
      return [taken, lost.aborted];
    });
    expect(outcome).toEqual(['taken', true]);
  });

  it('pass to another process at once when the holder stops, even if its work continues', async () => {
    const stopping = leasesOf(sql, hourMs);
    const outcome = await stopping.whileHeld('fetch', 'ab12', async (lost) => {
      await stopping.releaseAll();
      const taken = await leasesOf(sql).whileHeld('fetch', 'ab12', async () => 'taken');
      return [taken, lost.aborted];
    });
    expect(outcome).toEqual(['taken', true]);
    await expect(stopping.whileHeld('fetch', 'cd34', async () => 'late')).rejects.toThrow('is stopping');
    expect(await sql.query('SELECT 1 FROM jobs')).toEqual([]);
  });
});

describe('trimming', () => {
  it('deletes jobs that no process runs any more', async () => {
    const { jobs, scope } = await open();
    await jobs.start('trims', { everyMs: hourMs, scope, run: async () => undefined });
    await sql.query(
      `INSERT INTO jobs (name, subject, run_at) VALUES ('compaction', 'gone', now() - interval '2 hours')`,
    );
    await trimJobs(sql);
    expect((await sql.query<{ name: string }>('SELECT name FROM jobs')).map(({ name }) => name)).toEqual([
      'trims',
    ]);
  });

  it('of a process that was suspended for hours makes it register its jobs again', async () => {
    const { jobs, scope, process } = await open();
    let runs = 0;
    const run = async (): Promise<void> => {
      runs += 1;
    };
    await jobs.start('compaction', { everyMs: hourMs, scope, run });
    await jobs.start('trims', { everyMs: hourMs, scope, run: async () => undefined });
    // In one transaction, so that the process sees no intermediate state.
    await sql.tx(async (tx) => {
      await tx.query("UPDATE jobs SET run_at = now() - interval '2 hours'");
      await trimJobs(tx);
    });
    await expect.poll(() => runs).toBe(1);
    const present = await sql.query('SELECT name, subject, every_ms::int AS every FROM jobs ORDER BY name');
    expect(present).toMatchObject([
      { name: 'compaction', subject: process, every: hourMs },
      { name: 'trims', subject: '', every: hourMs },
    ]);
  });
});
