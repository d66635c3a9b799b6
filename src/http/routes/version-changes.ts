import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Access } from '../../catalog/access.js';
import type { Quotas } from '../../catalog/quotas.js';
import type { Instant } from '../../lib/instant.js';
import { formats } from '../../query/formats/formats.js';
import type { VersionChanges } from '../../query/version-changes.js';
import type { Versions } from '../../query/versions.js';
import { dispositionOf, fileNameOf } from '../content/disposition.js';
import { pathId, pathVersion } from '../parameters.js';
import { type Route, route } from '../route.js';
import { rightToRead, settleAtEnd } from './download-answer.js';

export interface VersionChangeRoutesDeps {
  readonly access: Access;
  readonly quotas: Pick<Quotas, 'requireDownload' | 'startExport'>;
  readonly changes: VersionChanges;
  readonly versions: Pick<Versions, 'at'>;
}

const { mediaType } = formats.csv;

export const createVersionChangeRoutes = ({
  access,
  quotas,
  changes,
  versions,
}: VersionChangeRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/datasets/:id/versions/:from/diff/:to/rows',
    summary: 'Download the rows in which two versions differ',
    description:
      'CSV. The first column, `change`, says `removed`, `added`, or `before` and `after` for the two sides of a ' +
      'changed row. Removed rows come first, then added and changed ones in the order of the second version. A ' +
      'column that one side lacks is empty there.',
    tags: ['Versions'],
    auth: 'optional',
    places: 'queries',
    params: z.object({
      id: pathId('Dataset'),
      from: pathVersion('First version'),
      to: pathVersion('Second version'),
    }),
    responses: { 200: { description: 'The rows.', contentTypes: [mediaType] } },
    errors: [402, 403, 404, 504],
    handler: async (request) => {
      const { id } = request.params;
      const dataset = await access.dataset(request.caller, id, 'Read', 'read');
      await quotas.requireDownload(request.caller, dataset);
      const idOf = async (version: number | Instant): Promise<number> =>
        typeof version === 'number' ? version : versions.at(dataset.id, version);
      const [from, to] = await Promise.all([idOf(request.params.from), idOf(request.params.to)]);
      const ticket = await quotas.startExport(request.caller);
      try {
        const body = await changes.open({
          datasetId: dataset.id,
          from,
          to,
          queryId: `${request.requestId}-changes-${randomUUID().slice(0, 8)}`,
          signal: request.signal,
        });
        settleAtEnd(body, ticket, request);
        const fileName = fileNameOf(`${dataset.name} ${from}-${to}`, 'csv');
        return {
          status: 200,
          headers: {
            'Content-Type': mediaType,
            'Content-Disposition': dispositionOf(fileName),
            'Cache-Control': 'private, no-cache',
          },
          body,
          right: rightToRead(request.caller, dataset.id),
        };
      } catch (error) {
        await ticket.cancel();
        throw error;
      }
    },
  }),
];
