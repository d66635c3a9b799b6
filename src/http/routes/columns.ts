import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { Columns } from '../../catalog/columns.js';
import type { ColumnRemoval } from '../../ingest/versions/column-removal.js';
import { columnsReply } from '../json-list.js';
import { pathId, queryInstant } from '../parameters.js';
import { noContent, ok, type Route, route } from '../route.js';
import { descriptionField, idField, nameField } from './fields.js';

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

export interface ColumnRemovalRouteDeps {
  readonly access: Access;
  readonly removal: ColumnRemoval;
}

export const createColumnRemovalRoute = ({ access, removal }: ColumnRemovalRouteDeps): Route =>
  route({
    method: 'DELETE',
    path: '/datasets/:dataset_id/columns/:column_id',
    summary: 'Delete a column',
    description:
      'Makes a new version of the same rows without the column; older versions keep it. An upload that has a column of ' +
      'its name brings it back, without the values that it had. Needs Write.',
    tags,
    auth: 'required',
    params: z.object({ dataset_id: datasetId, column_id: pathId('Id of the column.') }),
    authorize: ({ caller, params }) => access.dataset(caller, params.dataset_id, 'Write', 'write'),
    responses: { 204: { description: 'Deleted; the new version is the current one.' } },
    errors: [403, 404, 409],
    handler: async ({ params }) => {
      await removal.remove(params.dataset_id, params.column_id);
      return noContent;
    },
  });

export interface ColumnRoutesDeps {
  readonly access: Access;
  readonly columns: Columns;
}

export const createColumnRoutes = ({ access, columns }: ColumnRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/datasets/:dataset_id/columns',
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
  route({
    method: 'PATCH',
    path: '/datasets/:dataset_id/columns/:column_id',
    summary: 'Change name, role or description of a column',
    description:
      'The id stays. Filters and selections by the new name work at once; a read of an older version shows the ' +
      'names as they were in it. Needs Write.',
    tags,
    auth: 'required',
    params: z.object({ dataset_id: datasetId, column_id: pathId('Id of the column.') }),
    body: z.object({
      name: nameField('New name.').optional(),
      isEntity: z.boolean().optional(),
      description: descriptionField,
    }),
    bodyExample: { name: 'Country code' },
    authorize: ({ caller, params }) => access.dataset(caller, params.dataset_id, 'Write', 'write'),
    responses: {
      200: {
        description: 'The column.',
        schema: columnSchema,
        example: { ...columnExample, name: 'Country code' },
      },
    },
    errors: [403, 404, 409],
    handler: async ({ caller, params, body }) =>
      ok(await columns.update(caller, params.dataset_id, params.column_id, body)),
  }),
];
