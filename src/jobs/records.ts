/** Reads and writes the table `jobs`, which no other file writes. All times are those of the database. */
import { notFound } from '../lib/errors.js';
import { isoUtcOrNull } from '../lib/time.js';
import { prepared, type Sql } from '../storage/postgres/sql.js';
import { isJobName, jobList } from './list.js';

/** Primary key of the table. */
interface JobKey {
  readonly name: string;
  /** Id of the process or of the item; empty for a job per installation. */
  readonly subject: string;
}

interface ScheduledKey extends JobKey {
  readonly everyMs: number;
}

/** A run or a lease of this process. */
export interface Run extends JobKey {
  /** Random token, which distinguishes the lease from later ones on the same row. */
  readonly lease: string;
}

export interface ClaimedRun extends Run {
  /** The previous run did not finish: its process died or lost the lease. */
  readonly takenOver: boolean;
}

interface RunResult {
  readonly durationMs: number;
  /** Null: it succeeded. */
  readonly failure: string | null;
}

interface JobRecords {
  /** Adds a job with its interval. The next run is due after `firstAfterMs`, or earlier if the row already says so. */
  schedule(key: ScheduledKey, firstAfterMs: number): Promise<void>;
  /**
   * Claims runs that are due and free. First adds missing rows: `trimJobs` deletes those of a process that was suspended, or could not
   * reach the database, for an hour.
   */
  claimDue(jobs: readonly ScheduledKey[]): Promise<ClaimedRun[]>;
  /** Returns false if the lease is lost. */
  renew(run: Run): Promise<boolean>;
  /** Records the result and schedules the next run. Does nothing if the lease was lost. */
  finish(run: Run, result: RunResult): Promise<void>;
  /** Releases the lease; the run stays due for any process. */
  unclaim(run: Run): Promise<void>;
  /** Takes the lease on one item. Returns undefined if another process holds it. */
  take(key: JobKey): Promise<Run | undefined>;
  release(run: Run): Promise<void>;
}

const free = '(j.held_until IS NULL OR j.held_until < now())';

const scheduleSql = `
  INSERT INTO jobs AS j (name, subject, every_ms, run_at)
  VALUES ($1, $2, $3::bigint, now() + $4::bigint * interval '1 millisecond')
  ON CONFLICT (name, subject) DO UPDATE
    SET every_ms = excluded.every_ms, run_at = least(j.run_at, excluded.run_at)`;

const claimSql = prepared(`
  WITH entered AS (
    INSERT INTO jobs (name, subject, every_ms, run_at)
    SELECT m.*, now() FROM unnest($3::text[], $4::text[], $5::bigint[]) AS m ON CONFLICT DO NOTHING)
  UPDATE jobs j SET holder = $1, lease = gen_random_uuid(), started_at = now(),
    held_until = now() + $2 * interval '1 millisecond'
  FROM (SELECT j.name, j.subject, j.lease IS NOT NULL AS "takenOver" FROM jobs j
        WHERE (j.name, j.subject) IN (SELECT * FROM unnest($3::text[], $4::text[]))
          AND j.run_at <= now() AND ${free} FOR UPDATE SKIP LOCKED) AS due
  WHERE j.name = due.name AND j.subject = due.subject
  RETURNING j.name, j.subject, j.lease, due."takenOver"`);

const renewSql = prepared(`
  UPDATE jobs SET held_until = now() + $4 * interval '1 millisecond'
  WHERE name = $1 AND subject = $2 AND lease = $3 RETURNING 1`);

// `run_at > started_at`: another run was requested while this one was in progress; it stays due.
const finishSql = prepared(`
  UPDATE jobs SET holder = NULL, lease = NULL, held_until = NULL, ended_at = now(), duration_ms = $4, failure = $5,
    failures = CASE WHEN $5::text IS NULL THEN 0 ELSE failures + 1 END,
    run_at = CASE WHEN run_at > started_at THEN run_at ELSE now() + every_ms * interval '1 millisecond' END
  WHERE name = $1 AND subject = $2 AND lease = $3`);

const unclaimSql =
  'UPDATE jobs SET holder = NULL, lease = NULL, held_until = NULL WHERE name = $1 AND subject = $2 AND lease = $3';

const takeSql = prepared(`
  INSERT INTO jobs AS j (name, subject, holder, lease, held_until, started_at)
  VALUES ($1, $2, $3, gen_random_uuid(), now() + $4 * interval '1 millisecond', now())
  ON CONFLICT (name, subject) DO UPDATE
    SET holder = excluded.holder, lease = excluded.lease, held_until = excluded.held_until, started_at = now()
    WHERE ${free}
  RETURNING name, subject, lease`);

const releaseSql = prepared('DELETE FROM jobs WHERE name = $1 AND subject = $2 AND lease = $3');

export const createJobRecords = ({
  sql,
  process,
  leaseMs,
}: {
  readonly sql: Sql;
  /** Id of this process in `live_processes`. */
  readonly process: string;
  readonly leaseMs: number;
}): JobRecords => ({
  async schedule({ name, subject, everyMs }, firstAfterMs) {
    await sql.query(scheduleSql, [name, subject, everyMs, firstAfterMs]);
  },
  claimDue: (jobs) =>
    sql.query<ClaimedRun>(claimSql, [
      process,
      leaseMs,
      jobs.map(({ name }) => name),
      jobs.map(({ subject }) => subject),
      jobs.map(({ everyMs }) => everyMs),
    ]),
  renew: async ({ name, subject, lease }) =>
    (await sql.query(renewSql, [name, subject, lease, leaseMs])).length > 0,
  async finish({ name, subject, lease }, { durationMs, failure }) {
    await sql.query(finishSql, [name, subject, lease, Math.round(durationMs), failure]);
  },
  async unclaim({ name, subject, lease }) {
    await sql.query(unclaimSql, [name, subject, lease]);
  },
  take: async ({ name, subject }) => (await sql.query<Run>(takeSql, [name, subject, process, leaseMs]))[0],
  async release({ name, subject, lease }) {
    await sql.query(releaseSql, [name, subject, lease]);
  },
});

/** A job as operators see it. Times are ISO 8601 in UTC. */
export interface JobState {
  readonly name: string;
  /** `installation`, the address of a process, or the id of the item. */
  readonly subject: string;
  readonly state: 'waiting' | 'running';
  readonly nextRunAt: string | null;
  readonly lastRunAt: string | null;
  readonly lastMs: number | null;
  /** Error of the last run; null: it succeeded. */
  readonly failure: string | null;
  /** Failed runs in a row. */
  readonly failures: number;
  /** Address of the process that is running it. */
  readonly holder: string | null;
  readonly runningSince: string | null;
  readonly summary: string;
}

// Leaves out rows of stopped processes, and leases of requests to providers ('fetch').
const listSql = `
  SELECT j.name, coalesce(p.address, nullif(j.subject, ''), 'installation') AS subject,
    CASE WHEN ${free} THEN 'waiting' ELSE 'running' END AS state, j.run_at AS "nextRunAt", j.ended_at AS "lastRunAt",
    j.duration_ms AS "lastMs", j.failure, j.failures,
    CASE WHEN NOT ${free} THEN coalesce(h.address, 'a process that is starting') END AS holder,
    CASE WHEN NOT ${free} THEN j.started_at END AS "runningSince"
  FROM jobs j LEFT JOIN live_processes h ON h.id = j.holder LEFT JOIN live_processes p ON p.id::text = j.subject
  WHERE j.name <> 'fetch' AND (NOT ${free} OR j.subject = '' OR p.id IS NOT NULL)
  ORDER BY j.name, 2 LIMIT 1000`;

type Times = 'nextRunAt' | 'lastRunAt' | 'runningSince';
type JobRow = Omit<JobState, Times | 'summary'> & Readonly<Record<Times, Date | null>>;

export const listJobs = async (sql: Sql): Promise<JobState[]> => {
  const rows = await sql.query<JobRow>(listSql);
  return rows.map(({ nextRunAt, lastRunAt, runningSince, ...row }) => ({
    ...row,
    nextRunAt: isoUtcOrNull(nextRunAt),
    lastRunAt: isoUtcOrNull(lastRunAt),
    runningSince: isoUtcOrNull(runningSince),
    summary: isJobName(row.name) ? jobList[row.name].summary : '',
  }));
};

/** Makes a job due now. @throws AppError 404 for a job that does not exist, or that no process has started yet. */
export const runJobNow = async (sql: Sql, name: string): Promise<void> => {
  const rows = await sql.query(
    'UPDATE jobs SET run_at = now() WHERE name = $1 AND run_at IS NOT NULL RETURNING 1',
    [name],
  );
  if (rows.length > 0) return;
  const names = Object.keys(jobList).join(', ');
  throw notFound(
    'unknown_job',
    isJobName(name)
      ? `No process has started the job ${name} yet.`
      : `There is no job ${name}; there are ${names}.`,
  );
};

/** Revokes a lease. Its holder notices at the next renewal. */
export const endLease = async (sql: Sql, name: string, subject: number): Promise<void> => {
  await sql.query('DELETE FROM jobs WHERE name = $1 AND subject = $2::text', [name, subject]);
};

/** Deletes rows that have neither been due nor leased for an hour. */
export const trimJobs = async (sql: Sql): Promise<void> => {
  await sql.query(`DELETE FROM jobs WHERE greatest(run_at, held_until) < now() - interval '1 hour'`);
};
