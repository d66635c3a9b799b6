import { randomUUID } from 'node:crypto';
import { createJobs, type Jobs, type JobsOptions } from '../../src/jobs/jobs.js';
import { silentLog } from '../../src/lib/log.js';
import type { Scope } from '../../src/lib/scope.js';
import type { Sql } from '../../src/storage/postgres/sql.js';

/** Creates jobs with a process id of their own. */
export const jobsOf = (sql: Sql, scope: Scope, options: Partial<JobsOptions> = {}): Promise<Jobs> =>
  createJobs({
    sql,
    process: randomUUID(),
    leaseMs: 60_000,
    onRun: () => undefined,
    onTakenOver: () => undefined,
    scope,
    log: silentLog,
    ...options,
  });
