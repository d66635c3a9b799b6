import { z } from 'zod';
import type { SearchCatalog } from '../../catalog/search.js';
import { queryInteger, queryText } from '../parameters.js';
import { ok, type Route, route } from '../route.js';
import { datasetSummarySchema } from './datasets.js';
import { countField, idField } from './fields.js';
import { repositorySchema } from './repositories.js';

const foundSchema = z
  .object({
    datasets: z.array(
      datasetSummarySchema.extend({ columnCount: countField('Columns of the current version.') }),
    ),
    columns: z.array(
      z.object({
        id: idField('The column.'),
        name: z.string(),
        description: z.string().nullable(),
        datasetId: idField('Dataset it belongs to.'),
        datasetName: z.string(),
      }),
    ),
    repositories: z.array(repositorySchema),
  })
  .meta({ id: 'CatalogSearchResult' });

/** Search for an input that shows results during typing. */
export const createSearchRoutes = ({ search }: { readonly search: SearchCatalog }): Route[] => [
  route({
    method: 'GET',
    path: '/search',
    operationId: 'searchCatalog',
    summary: 'Search datasets, columns and repositories',
    description:
      'What the caller may see, without a key what is public. Every word of `q` has to occur: in name, description or source ' +
      'of a dataset, in name or description of a repository, as the beginning of a word in the name of a column. Without `q` ' +
      'what changed last.',
    tags: ['Datasets'],
    auth: 'optional',
    query: z.object({
      q: queryText('Words.', { maxLength: 200 }).optional(),
      limit: queryInteger('Most of each kind. Default 20.', { min: 1, max: 100 }).optional(),
    }),
    responses: {
      200: {
        description: 'Datasets whose name matches come first, then the most recently changed ones.',
        schema: foundSchema,
        example: { datasets: [], columns: [], repositories: [] },
      },
    },
    handler: async ({ caller, query: { q = '', limit = 20 } }) => ok(await search(caller, q, limit)),
  }),
];
