import { randomUUID } from 'node:crypto';
import type { Config } from '../config.js';
import { createJobs, type Jobs } from '../jobs/jobs.js';
import { createLeases, type Leases } from '../jobs/leases.js';
import type { Log } from '../lib/log.js';
import type { Metrics } from '../lib/metrics/metrics.js';
import type { Scope } from '../lib/scope.js';
import { beatHeart, forgetProcess, type LiveProcess } from '../storage/postgres/live-processes.js';
import type { Sql } from '../storage/postgres/sql.js';

interface JobParts {
  readonly config: Config;
  readonly sql: Sql;
  readonly log: Log;
}

/** Leases of a command, which is not a registered process. */
export const openLeases = ({ config, sql, log }: JobParts): Leases =>
  createLeases({ sql, process: randomUUID(), leaseMs: config.jobLeaseMs, log });

export interface ProcessJobs {
  readonly jobs: Jobs;
  readonly leases: Leases;
  /** Registers the process and renews the registration. */
  register(process: Omit<LiveProcess, 'id'>): Promise<void>;
}

/** Jobs and leases of a process that runs until it is stopped. */
export const openJobs = async (
  { config, sql, log }: JobParts,
  metrics: Metrics,
  scope: Scope,
): Promise<ProcessJobs> => {
  const options = { sql, process: randomUUID(), leaseMs: config.jobLeaseMs, log };
  const { runs, seconds, takenOver } = metrics.jobs;
  const leases = createLeases(options);
  await scope.defer('leases', leases.releaseAll);
  const jobs = await createJobs({
    ...options,
    scope,
    onRun(job, outcome, duration) {
      runs.inc({ job, outcome });
      seconds.observe({ job }, duration);
    },
    onTakenOver: (job) => takenOver.inc({ job }),
  });
  return {
    jobs,
    leases,
    async register(process) {
      const everyMs = config.heartbeatIntervalMs;
      const beat = () => beatHeart(sql, { ...process, id: options.process }, everyMs);
      await beat();
      await scope.defer('registration', () => forgetProcess(sql, options.process));
      await jobs.loop('heartbeat', { everyMs, run: beat, scope });
    },
  };
};
