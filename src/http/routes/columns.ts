import { z } from 'zod';
import type { Columns } from '../../catalog/columns.js';
import { columnsReply } from '../json-list.js';
import { pathId, queryInstant } from '../parameters.js';
import { type Route, route } from '../route.js';
import { idField } from './fields.js';

export const columnSchema = z
  .object({
    id: idField('Unique; survives renames.'),
    name: z.string(),
    dataType: z.enum(['Date', 'String', 'Decimal']),
    isEntity: z.boolean().meta({ description: 'True for a dimension, false for a value.' }),
    description: z.string().nullable(),
  })
  .meta({ id: 'Column' });

export const columnExample = {
  id: 40,
  name: 'Country',
  dataType: 'String',
  isEntity: true,
  description: null,
};

const tags = ['Columns'];
const datasetId = pathId('Id of the dataset.');

interface ColumnRoutesDeps {
  readonly columns: Columns;
}

export const createColumnRoutes = ({ columns }: ColumnRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/datasets/:dataset_id/columns',
    operationId: 'listColumns',
    summary: 'List the columns of a dataset',
    tags,
    auth: 'optional',
    params: z.object({ dataset_id: datasetId }),
    query: z.object({ asOf: queryInstant('Of the version that was current then, as they were.').optional() }),
    responses: {
      200: {
        description: 'Columns in their order.',
        schema: z.array(columnSchema),
        example: [columnExample],
      },
    },
    errors: [403, 404],
    notFoundShape: 'message',
    handler: async ({ caller, params, query }) =>
      columnsReply(await columns.list(caller, params.dataset_id, query.asOf)),
  }),
];
