/**
 * Runs the jobs of one process: polls the table `jobs` for those that are due and that no other process has, and renews the
 * lease of each while it runs. A process that dies loses its leases after `leaseMs`, and another one continues.
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
  /** Milliseconds after the start of a process at which a run is due, whenever others did it last. @default everyMs */
  readonly firstAfterMs?: number;
  /** One run. `stop` is aborted when the process stops or has lost the lease: another process may have begun by then. */
  readonly run: (stop: AbortSignal) => Promise<unknown>;
  /** Stops the job, and waits until its run has ended. */
  readonly scope: Scope;
}

/** Keeps something in the memory of this process up to date; unlike a job it needs no database and is in no list. */
interface Loop {
  readonly everyMs: number;
  readonly run: (stop: AbortSignal) => Promise<unknown>;
  readonly scope: Scope;
}

export interface Jobs {
  /** Enters the job in the table, and runs it whenever it is due. */
  start(name: JobName, job: Job): Promise<void>;
  loop(name: string, loop: Loop): Promise<void>;
}

export interface JobsOptions {
  readonly sql: Sql;
  /** Id of this process in `live_processes`. */
  readonly process: string;
  /** Milliseconds of silence after which a process loses a job. */
  readonly leaseMs: number;
  readonly onRun: (name: JobName, outcome: 'completed' | 'failed', seconds: number) => void;
  readonly onTakenOver: (name: JobName) => void;
  /** Stops polling for due jobs, after the jobs themselves. */
  readonly scope: Scope;
  readonly log: Log;
}

interface Scheduled extends Job {
  readonly name: JobName;
  readonly subject: string;
  readonly stopping: AbortController;
  running: Promise<void> | undefined;
}

/** Longest time until a job that an operator runs begins. */
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
    // Some jobs end early without an error. Where no other process has taken the lease, the job stays due.
    if (stopping.signal.aborted || lost.signal.aborted) return records.giveBack(claimed);
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
      // The lease expires, and the job is due again.
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
      if (job === undefined) await records.giveBack(claimed);
      else begin(job, claimed);
    }
  };

  // Half the interval: a job of every second begins at most half a second late.
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
    async loop(name, { everyMs, run, scope: itsScope }) {
      const periodic = startPeriodic({ name, intervalMs: everyMs, run, log });
      await itsScope.defer(name, periodic.stop);
    },
  };
};
