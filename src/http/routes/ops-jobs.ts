import { z } from 'zod';
import { jobList } from '../../jobs/list.js';
import type { JobState } from '../../jobs/records.js';
import { noContentAfter, type Route, route, uncached } from '../route.js';
import { timeField } from './fields.js';
import { forOperators, operatorAction } from './for-operators.js';

export interface OpsJobs {
  jobs(): Promise<JobState[]>;
  /** Makes a job due now. @throws AppError 404. */
  runJob(name: string): Promise<void>;
}

const jobSchema = z
  .object({
    name: z.string(),
    subject: z.string().meta({
      description: '`installation`, the address of a process, or the id of the item that the job works on.',
    }),
    state: z.enum(['waiting', 'running']),
    nextRunAt: timeField.nullable().meta({ description: 'Null: it has no schedule of its own.' }),
    lastRunAt: timeField.nullable().meta({ description: 'End of the last run; null: there was none.' }),
    lastMs: z.int().nullable().meta({ description: 'Duration of the last run in milliseconds.' }),
    failure: z.string().nullable().meta({ description: 'Error of the last run; null: it succeeded.' }),
    failures: z.int().meta({ description: 'Failed runs in a row.' }),
    holder: z.string().nullable().meta({ description: 'Address of the process that runs it now.' }),
    runningSince: timeField.nullable(),
    summary: z.string().meta({ description: 'Its task.' }),
  })
  .meta({ id: 'OperationsJob' });

/** `/api/ops/jobs`: background jobs of all processes. */
export const createOpsJobRoutes = ({ jobs, runJob }: OpsJobs): Route[] => [
  route({
    ...forOperators,
    method: 'GET',
    path: '/ops/jobs',
    operationId: 'listJobs',
    summary: 'Background jobs: next run, last run, and the process that runs each',
    responses: { 200: { description: 'Jobs by name.', schema: z.array(jobSchema) } },
    handler: async () => uncached(await jobs()),
  }),
  route({
    ...operatorAction,
    method: 'POST',
    path: '/ops/jobs/:name/run',
    operationId: 'runJob',
    summary: 'Run a job now',
    description:
      'It starts within a second, in the processes that run it; a running job runs once more afterwards. ' +
      'Needs the key of an operator account and a key that may write.',
    params: z.object({
      name: z.string().meta({ description: `One of ${Object.keys(jobList).join(', ')}.` }),
    }),
    responses: { 204: { description: 'The job is due.' } },
    errors: [403, 404],
    handler: ({ params: { name } }) => noContentAfter(runJob(name)),
  }),
];
