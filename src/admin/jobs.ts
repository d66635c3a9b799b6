import { listJobs, runJobNow } from '../jobs/records.js';
import { isoUtc } from '../lib/time.js';
import type { AdminGroup } from './command.js';

const timeOf = (time: Date | null): string | null => (time === null ? null : isoUtc(time));

/** `jobs`, `jobs run` */
export const jobCommands: AdminGroup = {
  name: 'jobs',
  summary: 'Jobs',
  commands: [
    {
      name: '',
      summary:
        'List background jobs: next run, last run and its failure, and the process that runs each now.',
      arguments: [],
      run: async ({ context }) =>
        (await listJobs(context.sql)).map(({ summary, nextRunAt, lastRunAt, runningSince, ...job }) => ({
          ...job,
          nextRunAt: timeOf(nextRunAt),
          lastRunAt: timeOf(lastRunAt),
          runningSince: timeOf(runningSince),
          summary,
        })),
    },
    {
      name: 'run',
      audited: true,
      summary: 'Have a job run now, in the processes that run it.',
      arguments: ['name'],
      async run({ argument, context }) {
        await runJobNow(context.sql, argument('name'));
        return { due: argument('name') };
      },
    },
  ],
};
