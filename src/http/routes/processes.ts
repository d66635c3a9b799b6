import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { ProcessStore } from '../../ingest/process-store.js';
import { notFound } from '../../lib/errors.js';
import { pathId } from '../parameters.js';
import { ok, type Route, route } from '../route.js';

const processErrorSchema = z.object({
  code: z.string().meta({ description: 'Stable identifier of the reason.' }),
  message: z.string(),
  line: z.int().optional().meta({ description: 'Physical line in the file; the header is line 1.' }),
  column: z.string().optional().meta({ description: 'Name of the column.' }),
  value: z.string().optional().meta({ description: 'The text that does not fit, cut to 200 characters.' }),
});

export const processSchema = z
  .object({
    id: z.int(),
    datasetId: z.int(),
    status: z.enum(['pending', 'completed', 'failed']),
    createdAt: z.string().meta({ description: 'ISO 8601 in UTC, without zone offset.' }),
    completedAt: z.string().nullable(),
    mode: z.string(),
    versionId: z.string().nullable().meta({ description: 'The version that came of it.' }),
    rows: z.int().meta({ description: 'Rows stored so far.' }),
    bytes: z.int().meta({ description: 'Uncompressed bytes received so far.' }),
    rejectedRows: z.int().meta({ description: 'Records that were set aside as bad.' }),
    error: processErrorSchema.nullable(),
    progress: z.object({
      received: z.int(),
      chunks: z.int().nullable(),
      inserted: z.int(),
      rows: z.int(),
      attempt: z.int(),
    }),
  })
  .meta({ id: 'Process' });

export interface ProcessRoutesDeps {
  readonly access: Access;
  readonly processes: ProcessStore;
}

const read = ({ access, processes }: ProcessRoutesDeps): Route =>
  route({
    method: 'GET',
    path: '/datasets/:id/processes/:processId',
    summary: 'Read an upload process',
    tags: ['Data'],
    auth: 'optional',
    params: z.object({ id: pathId('Dataset'), processId: pathId('Process') }),
    responses: { 200: { description: 'The process as it stands.', schema: processSchema } },
    errors: [403, 404],
    handler: async ({ params, caller }) => {
      const dataset = await access.dataset(caller, params.id, 'Read', 'read');
      const view = await processes.view(dataset.id, params.processId);
      if (view === undefined)
        throw notFound('process_not_found', `The dataset has no process ${params.processId}.`);
      return ok(view);
    },
  });

export const createProcessRoutes = (deps: ProcessRoutesDeps): Route[] => [read(deps)];
