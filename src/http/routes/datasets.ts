import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { Clones } from '../../catalog/clones.js';
import type { Datasets } from '../../catalog/datasets.js';
import { requireWritingKey } from '../../catalog/key-rights.js';
import { datasetReply, jsonList } from '../json-list.js';
import { bodyId, pathId, queryId, queryInstant, queryText, timeParameter } from '../parameters.js';
import { created, noContentAfter, type Route, route } from '../route.js';
import { columnExample, columnSchema } from './columns.js';
import {
  countField,
  descriptionField,
  idField,
  levelField,
  nameField,
  privacyField,
  sourceUrlField,
  textField,
  timeField,
} from './fields.js';
import { refreshSchema, seriesSchema } from './refresh-schema.js';
import { retentionSchema } from './retention.js';

const summaryFields = {
  id: idField('Assigned by the service.'),
  name: z.string(),
  repositoryId: idField('Repository it belongs to.'),
  description: z.string().nullable(),
  sourceName: z.string().nullable(),
  sourceUrl: z.string().nullable(),
  permission: levelField,
  frequency: z
    .string()
    .nullable()
    .meta({ description: 'Distance between neighbouring dates, such as Monthly.' }),
  minDate: z.string().nullable().meta({ description: 'First date.' }),
  maxDate: z.string().nullable().meta({ description: 'Last date.' }),
  privacy: privacyField,
  rowCount: countField('Rows of the current version.'),
  byteSize: countField('Uncompressed bytes of the current version, as uploaded.'),
  currentVersionId: z.string().nullable().meta({ description: 'Null before the first upload.' }),
  createdAt: timeField,
  updatedAt: timeField,
  series: seriesSchema.optional(),
};

export const datasetSummarySchema = z.object(summaryFields).meta({ id: 'DatasetSummary' });
export const datasetSchema = z
  .object({
    ...summaryFields,
    columns: z.array(columnSchema),
    retention: retentionSchema,
    refresh: refreshSchema.optional(),
  })
  .meta({ id: 'Dataset' });

const newExample = {
  id: 12,
  name: 'Prices',
  repositoryId: 7,
  description: null,
  sourceName: 'Statistics Office',
  sourceUrl: 'https://example.org/prices',
  permission: 'Admin',
  frequency: null,
  minDate: null,
  maxDate: null,
  privacy: 'Private',
  rowCount: 0,
  byteSize: 0,
  currentVersionId: null,
  createdAt: '2026-01-31T12:00:00.000',
  updatedAt: '2026-01-31T12:00:00.000',
};

const filledExample = {
  ...newExample,
  frequency: 'Monthly',
  minDate: '2020-01-01',
  maxDate: '2025-12-01',
  rowCount: 72,
  byteSize: 2048,
  currentVersionId: '31',
  columns: [columnExample],
  retention: { versions: null, days: null },
};

const textFields = {
  name: nameField('Name, unique in the repository.'),
  description: descriptionField,
  sourceUrl: sourceUrlField,
  sourceName: textField('Organization or publication that produced the data.', 1_000),
};
const tags = ['Datasets'];
const shared = { tags, auth: 'required' } as const;
const params = z.object({ id: pathId('Id of the dataset.') });

const reads = (datasets: Datasets): Route[] => [
  route({
    method: 'GET',
    path: '/datasets',
    operationId: 'listDatasets',
    summary: 'List every dataset the caller can access',
    description: 'Across repositories, without paging.',
    ...shared,
    query: z.object({
      repositoryId: queryId('Only datasets of this repository.').optional(),
      q: queryText('Words that all occur in name, description or source.').optional(),
      updatedSince: timeParameter('Only datasets changed at or after this time.').optional(),
    }),
    responses: {
      200: { description: 'Datasets by id.', schema: z.array(datasetSummarySchema), example: [newExample] },
    },
    handler: ({ caller, query }) => jsonList(datasets.list(caller, query)),
  }),
  route({
    method: 'GET',
    path: '/datasets/:id',
    operationId: 'getDataset',
    summary: 'Read a dataset with its columns',
    description: 'A dataset of a public repository can be read without a key.',
    tags,
    auth: 'optional',
    readsDataset: true,
    params,
    query: z.object({
      asOf: queryInstant('With rows, dates and columns of the version that was current then.').optional(),
    }),
    responses: { 200: { description: 'The dataset.', schema: datasetSchema, example: filledExample } },
    errors: [403, 404],
    handler: async ({ caller, params: { id }, query }) =>
      datasetReply(200, await datasets.read(caller, id, query.asOf)),
  }),
];

const writes = ({ access, datasets }: DatasetRoutesDeps): Route[] => [
  route({
    method: 'POST',
    path: '/datasets',
    operationId: 'createDataset',
    summary: 'Create a dataset',
    description: 'Not idempotent. Needs Write on the repository.',
    ...shared,
    body: z.object({ ...textFields, repositoryId: bodyId('Repository of the new dataset.') }),
    bodyExample: {
      name: 'Prices',
      repositoryId: 7,
      sourceName: 'Statistics Office',
      sourceUrl: 'https://example.org/prices',
    },
    // The repository is named in the body.
    authorize: ({ caller }) => requireWritingKey(caller),
    responses: {
      201: { description: 'The new dataset.', schema: datasetSummarySchema, example: newExample },
    },
    errors: [403, 409],
    handler: async ({ caller, body: { repositoryId, ...text } }) =>
      created(await datasets.create(caller, repositoryId, text)),
  }),
  route({
    method: 'PUT',
    path: '/datasets/:id',
    operationId: 'updateDataset',
    summary: 'Update name, description and source of a dataset',
    description:
      'Replaces all of them: a description, source name or source address that is left out becomes null. Needs Write.',
    ...shared,
    params,
    body: z.object(textFields),
    bodyExample: { name: 'Consumer prices', sourceName: 'Statistics Office' },
    authorize: ({ caller, params: { id } }) => access.dataset(caller, id, 'Write', 'write'),
    responses: {
      200: { description: 'The updated dataset.', schema: datasetSchema, example: filledExample },
    },
    errors: [403, 404, 409],
    handler: async ({ caller, params: { id }, body }) =>
      datasetReply(200, await datasets.update(caller, id, body)),
  }),
  route({
    method: 'DELETE',
    path: '/datasets/:id',
    operationId: 'deleteDataset',
    summary: 'Delete a dataset and its data',
    description: 'Needs Write.',
    ...shared,
    params,
    responses: { 204: { description: 'Deleted.' } },
    errors: [403, 404],
    handler: ({ caller, params: { id } }) => noContentAfter(datasets.remove(caller, id)),
  }),
];

const clone = ({ access, clones }: DatasetRoutesDeps): Route =>
  route({
    method: 'POST',
    path: '/datasets/:id/clone',
    operationId: 'cloneDataset',
    summary: 'Clone a dataset',
    description:
      'Makes a dataset of the same columns, rows and current version; both are independent afterwards. Needs ' +
      'Clone on the dataset and Write on the target repository.',
    ...shared,
    params,
    body: z.object({
      repositoryId: bodyId('Repository of the clone.'),
      name: nameField('Name of the clone.').optional(),
    }),
    bodyExample: { repositoryId: 7, name: 'Prices, my copy' },
    authorize: ({ caller, params: { id } }) => {
      requireWritingKey(caller);
      return access.dataset(caller, id, 'Clone', 'read');
    },
    responses: { 201: { description: 'The clone.', schema: datasetSchema, example: filledExample } },
    errors: [402, 403, 404, 409],
    handler: async ({ caller, params: { id }, body }) =>
      datasetReply(201, await clones.create(caller, id, body)),
  });

interface DatasetRoutesDeps {
  readonly access: Access;
  readonly datasets: Datasets;
  readonly clones: Clones;
}

export const createDatasetRoutes = (deps: DatasetRoutesDeps): Route[] => [
  ...reads(deps.datasets),
  ...writes(deps),
  clone(deps),
];
