import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { Comparisons } from '../../query/comparison/comparisons.js';
import { pathId } from '../parameters.js';
import { ok, type Route, route } from '../route.js';
import { countField } from './fields.js';
import { forWhom, requireProcesses } from './processes.js';
import { comparedKeys } from './versions.js';

const diffSchema = z
  .object({
    from: z.string().nullable().meta({ description: 'The version that it would have followed; null: none.' }),
    ...comparedKeys,
    added: countField('Rows that would come.'),
    removed: countField('Rows that would go.'),
    changed: countField('Rows of the same key that would have other values.'),
  })
  .meta({ id: 'DryRunDiff' });

interface DryRunRoutesDeps {
  readonly access: Access;
  readonly comparisons: Pick<Comparisons, 'count'>;
}

export const createDryRunRoutes = ({ access, comparisons }: DryRunRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/datasets/:id/processes/:processId/diff',
    operationId: 'getDryRunDiff',
    summary: 'What a dry run would change',
    description: `Counts in the data store; for an hour after the dry run, unless the operator set another time. ${forWhom}`,
    tags: ['Data'],
    auth: 'required',
    permit: 'queries',
    params: z.object({ id: pathId('Dataset'), processId: pathId('Process') }),
    responses: { 200: { description: 'What would change.', schema: diffSchema } },
    errors: [403, 404, 409],
    handler: async ({ params: { id, processId }, caller, owner, requestId, signal }) => {
      const dataset = await requireProcesses({ access }, caller, id);
      const between = { dryRun: processId };
      return ok(await comparisons.count({ datasetId: dataset.id, between, owner, requestId, signal }));
    },
  }),
];
