import type { Meters } from './meters.js';

/** Seconds; from a poll that finds nothing to a sweep of a large installation. */
const buckets = [0.01, 0.05, 0.25, 1, 5, 30, 120, 600, 3_600];

/** Metrics of jobs. Label `job`: a name of src/jobs/list.ts. */
export const createJobMetrics = ({ counter, histogram }: Meters) => ({
  runs: counter(
    'tabulary_job_runs_total',
    'Runs of jobs that ended in this process. Outcome: completed or failed.',
    ['job', 'outcome'],
  ),
  seconds: histogram('tabulary_job_run_seconds', 'Seconds that a run of a job took.', buckets, ['job']),
  takenOver: counter(
    'tabulary_jobs_taken_over_total',
    'Runs of jobs that this process began because the process that had the job fell silent.',
    ['job'],
  ),
});
