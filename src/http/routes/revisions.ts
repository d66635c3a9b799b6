import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { Quotas } from '../../catalog/quotas.js';
import { formats } from '../../query/formats/formats.js';
import { type Revisions, revisionFormats, vintages } from '../../query/revisions/revisions.js';
import { pathId, queryInstant, queryInteger, queryText } from '../parameters.js';
import { type Route, route } from '../route.js';
import { comparisonReply, keyHeadersDescribed } from './comparison-reply.js';
import { rightToRead } from './download-answer.js';

interface RevisionRoutesDeps {
  readonly access: Access;
  readonly quotas: Pick<Quotas, 'requireDownload' | 'startExport'>;
  readonly revisions: Revisions;
}

export const createRevisionRoutes = ({ access, quotas, revisions }: RevisionRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/datasets/:id/revisions',
    operationId: 'listRevisions',
    summary: 'Values of observations in each version',
    description:
      'Every value that observations had in the kept versions, with the version that introduced it. The entity columns ' +
      'identify an observation; if several rows of one version have equal ones, each row is an observation. `change` is `added`, `changed`, or `removed` with the removed values. Values that a version ' +
      'does not change are not repeated.',
    tags: ['Versions'],
    auth: 'optional',
    permit: 'queries',
    params: z.object({ id: pathId('Dataset') }),
    query: z.object({
      $filter: queryText('Only rows that match, in whatever version.', { maxLength: 65_536 }).optional(),
      $select: queryText('Columns by name or id, separated by commas; entity columns are prepended.', {
        maxLength: 65_536,
      }).optional(),
      vintage: z.enum(vintages).optional().meta({
        description:
          '`first`: only what each observation was when it was first published. `latest`: what it is, with the version that brought it.',
      }),
      asOf: queryInstant('Only what was said until then.').optional(),
      $top: queryInteger('Most rows.', { min: 1, max: 1_000_000_000 }).optional(),
      $format: z.enum(revisionFormats).optional().meta({ description: 'Without it json.' }),
    }),
    responses: {
      200: {
        description:
          'The columns of the dataset, `versionId`, `publishedAt` and `change`, by entity and version.',
        contentTypes: revisionFormats.map((format) => formats[format].mediaType),
        headers: keyHeadersDescribed,
      },
    },
    errors: [402, 403, 404, 504],
    handler: async (request) => {
      const { params, query, caller } = request;
      const dataset = await access.dataset(caller, params.id, 'Read', 'read');
      const format = query.$format ?? 'json';
      return comparisonReply(quotas, request, dataset, {
        format,
        name: 'revisions',
        top: query.$top,
        right: rightToRead(caller, dataset.id),
        open: () =>
          revisions.open({
            datasetId: dataset.id,
            currentVersionId: dataset.currentVersionId,
            vintage: query.vintage ?? 'all',
            asOf: query.asOf,
            filter: query.$filter,
            select: query.$select,
            top: query.$top,
            format,
            owner: request.owner,
            requestId: request.requestId,
            signal: request.signal,
          }),
      });
    },
  }),
];
