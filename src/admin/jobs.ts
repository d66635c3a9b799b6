import { listJobs, runJobNow } from '../jobs/records.js';
import type { AdminGroup } from './command.js';

export const jobCommands: AdminGroup = {
  name: 'jobs',
  summary: 'Jobs',
  commands: [
    {
      name: '',
      summary:
        'List background jobs: next run, last run and its failure, and the process that runs each now.',
      run: ({ context }) => listJobs(context.sql),
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
