import { Counter, Histogram, type Registry } from 'prom-client';

/** Seconds; from a poll that finds nothing to a sweep of a large installation. */
const buckets = [0.01, 0.05, 0.25, 1, 5, 30, 120, 600, 3_600];

/** Metrics of jobs. Label `job`: a name of src/jobs/list.ts. */
export const createJobMetrics = (registers: Registry[]) => ({
  runs: new Counter({
    name: 'tabulary_job_runs_total',
    help: 'Runs of jobs that ended in this process. Outcome: completed or failed.',
    labelNames: ['job', 'outcome'] as const,
    registers,
  }),
  seconds: new Histogram({
    name: 'tabulary_job_run_seconds',
    help: 'Seconds that a run of a job took.',
    labelNames: ['job'] as const,
    buckets,
    registers,
  }),
  takenOver: new Counter({
    name: 'tabulary_jobs_taken_over_total',
    help: 'Runs of jobs that this process began because the process that had the job fell silent.',
    labelNames: ['job'] as const,
    registers,
  }),
});
