/**
 * Runs the jobs of one process: polls the table `jobs` for jobs that are due and free, and renews their leases while they run. If a process
 * dies, its leases expire after `leaseMs`, and another process takes over its jobs.
 */
import { messageOf } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { Scope } from '../lib/scope.js';
import type { Sql } from '../storage/postgres/sql.js';
import { whileLeased } from './lease.js';
import { type JobName, jobList } from './list.js';
import { startPeriodic } from './periodic.js';
import { type ClaimedRun, createJobRecords } from './records.js';

interface Job {
  /** Milliseconds between the end of a run and the start of the next. */
  readonly everyMs: number;
  /** Maximum delay of the first run after the process starts, even if another process ran the job recently. @default everyMs */
  readonly firstAfterMs?: number;
  /** One run. `stop` is aborted when the process stops or has lost the lease, so that another process may run the job. */
  readonly run: (stop: AbortSignal) => Promise<unknown>;
  /** Closing it stops the job and waits for the run in progress. */
  readonly scope: Scope;
}

/** Keeps something in the memory of this process up to date. Unlike a job, it has neither a row in the table nor a lease. */
interface Loop {
  readonly everyMs: number;
  readonly run: (stop: AbortSignal) => Promise<unknown>;
  readonly scope: Scope;
}

export interface Jobs {
  /** Adds the job to the table and runs it whenever it is due. */
  start(name: JobName, job: Job): Promise<void>;
  loop(name: string, loop: Loop): Promise<void>;
}

export interface JobsOptions {
  readonly sql: Sql;
  /** Id of this process in `live_processes`. */
  readonly process: string;
  /** Milliseconds after which a lease expires unless it is renewed. */
  readonly leaseMs: number;
  readonly onRun: (name: JobName, outcome: 'completed' | 'failed', seconds: number) => void;
  readonly onTakenOver: (name: JobName) => void;
  /** Closing it ends the polling; the scopes of the jobs are closed before. */
  readonly scope: Scope;
  readonly log: Log;
}

interface Scheduled extends Job {
  readonly name: JobName;
  readonly subject: string;
  readonly stopping: AbortController;
  running: Promise<void> | undefined;
}

/** A job that an operator requests starts within this time, if it is not running. */
const longestPollMs = 1_000;

export const createJobs = async (options: JobsOptions): Promise<Jobs> => {
  const { sql, process, leaseMs, onRun, onTakenOver, scope, log } = options;
  const records = createJobRecords({ sql, process, leaseMs });
  const scheduled = new Map<string, Scheduled>();

  const runOnce = async ({ name, stopping, run }: Scheduled, claimed: ClaimedRun): Promise<void> => {
    const startedAt = performance.now();
    const lost = new AbortController();
    const renewing = {
      leaseMs,
      lost,
      renew: () => records.renew(claimed),
      onError: (error: unknown) => log.warn({ err: error, job: name }, 'lease not renewed'),
    };
    let failure: string | null = null;
    try {
      await whileLeased(renewing, () => run(AbortSignal.any([stopping.signal, lost.signal])));
    } catch (error) {
      failure = messageOf(error);
      if (!stopping.signal.aborted && !lost.signal.aborted)
        log.error({ err: error, job: name }, 'job failed');
    }
    if (lost.signal.aborted) log.warn({ job: name }, 'job lost its lease');
    // An aborted run may return early without an error, so it does not count as completed: the job stays due.
    if (stopping.signal.aborted || lost.signal.aborted) return records.unclaim(claimed);
    const durationMs = performance.now() - startedAt;
    onRun(name, failure === null ? 'completed' : 'failed', durationMs / 1000);
    await records.finish(claimed, { durationMs, failure });
  };

  const begin = (job: Scheduled, claimed: ClaimedRun): void => {
    const { name } = job;
    if (claimed.takenOver) {
      log.warn({ job: name }, 'job taken over');
      onTakenOver(name);
    }
    job.running = runOnce(job, claimed)
      // The job stays due and runs again when the lease has expired.
      .catch((error: unknown) => log.warn({ err: error, job: name }, 'result of a job not recorded'))
      .finally(() => {
        job.running = undefined;
      });
  };

  const poll = async (): Promise<void> => {
    const idle = [...scheduled.values()].filter(({ running }) => running === undefined);
    if (idle.length === 0) return;
    for (const claimed of await records.claimDue(idle)) {
      const job = scheduled.get(claimed.name);
      if (job === undefined) await records.unclaim(claimed);
      else begin(job, claimed);
    }
  };

  // Half the shortest interval, so that a job that runs every second starts at most half a second late.
  const pollMs = (): number =>
    Math.min(longestPollMs, ...[...scheduled.values()].map(({ everyMs }) => everyMs / 2));
  const polling = startPeriodic({ name: 'jobs', intervalMs: pollMs, run: poll, log });
  await scope.defer('jobs', polling.stop);

  return {
    async start(name, job) {
      const subject = jobList[name].onePer === 'process' ? process : '';
      const stopping = new AbortController();
      const entry: Scheduled = { ...job, name, subject, stopping, running: undefined };
      await records.schedule(entry, job.firstAfterMs ?? job.everyMs);
      scheduled.set(name, entry);
      await job.scope.defer(name, async () => {
        scheduled.delete(name);
        stopping.abort();
        await entry.running;
      });
    },
    async loop(name, loop) {
      const periodic = startPeriodic({ name, intervalMs: loop.everyMs, run: loop.run, log });
      await loop.scope.defer(name, periodic.stop);
    },
  };
};
