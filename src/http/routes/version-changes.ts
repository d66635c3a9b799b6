import { z } from 'zod';
import type { Access, DatasetAccess } from '../../catalog/access.js';
import type { Quotas } from '../../catalog/quotas.js';
import type { StandingRight } from '../../catalog/standing-rights.js';
import type { Instant } from '../../lib/instant.js';
import type { Caller } from '../../model/permission.js';
import type { ChangesWanted, Comparisons } from '../../query/comparison/comparisons.js';
import { formats } from '../../query/formats/formats.js';
import type { Versions } from '../../query/versions.js';
import { pathId, pathVersion, queryInteger } from '../parameters.js';
import { type Reply, type RequestHead, type Route, route } from '../route.js';
import { comparisonReply, keyHeadersDescribed } from './comparison-reply.js';
import { rightToRead } from './download-answer.js';
import { forWhom, requireProcesses, rightTo } from './processes.js';

interface VersionChangeRoutesDeps {
  readonly access: Access;
  readonly quotas: Pick<Quotas, 'requireDownload' | 'startExport'>;
  readonly comparisons: Pick<Comparisons, 'open'>;
  readonly versions: Pick<Versions, 'at'>;
}

const { mediaType } = formats.csv;

const shape =
  'CSV. The first column, `change`, says `removed`, `added`, or `before` and `after` for the two sides of a changed ' +
  'row. A column that one side lacks is empty there.';

const csv = { 200: { description: 'The rows.', contentTypes: [mediaType], headers: keyHeadersDescribed } };

const query = z.object({ $top: queryInteger('Most rows.', { min: 1, max: 1_000_000_000 }).optional() });

/** The answer with the rows, counted as a download. */
const answer = (
  { quotas, comparisons }: VersionChangeRoutesDeps,
  request: RequestHead<unknown, z.output<typeof query>, Caller | undefined>,
  dataset: DatasetAccess,
  { between, name, right }: { between: ChangesWanted['between']; name: string; right: StandingRight },
): Promise<Reply> => {
  const { $top: top } = request.query;
  return comparisonReply(quotas, request, dataset, {
    format: 'csv',
    name,
    top,
    right,
    open: () =>
      comparisons.open({
        datasetId: dataset.id,
        between,
        top,
        owner: request.owner,
        requestId: request.requestId,
        signal: request.signal,
      }),
  });
};

const ofVersions = (deps: VersionChangeRoutesDeps): Route =>
  route({
    method: 'GET',
    path: '/datasets/:id/versions/:from/diff/:to/rows',
    operationId: 'downloadVersionDiff',
    summary: 'Download the rows in which two versions differ',
    description: `${shape} Removed rows come first, then added and changed ones in the order of the second version.`,
    tags: ['Versions'],
    auth: 'optional',
    permit: 'queries',
    params: z.object({
      id: pathId('Dataset'),
      from: pathVersion('First version'),
      to: pathVersion('Second version'),
    }),
    query,
    responses: csv,
    errors: [402, 403, 404, 504],
    handler: async (request) => {
      const { id } = request.params;
      const dataset = await deps.access.dataset(request.caller, id, 'Read', 'read');
      const idOf = async (version: number | Instant): Promise<number> =>
        typeof version === 'number' ? version : deps.versions.at(dataset.id, version);
      const [from, to] = await Promise.all([idOf(request.params.from), idOf(request.params.to)]);
      const right = rightToRead(request.caller, dataset.id);
      return answer(deps, request, dataset, { between: { from, to }, name: `${from}-${to}`, right });
    },
  });

const ofDryRun = (deps: VersionChangeRoutesDeps): Route =>
  route({
    method: 'GET',
    path: '/datasets/:id/processes/:processId/diff/rows',
    operationId: 'downloadDryRunDiff',
    summary: 'Download the rows that a dry run would change',
    description: `${shape} ${forWhom}`,
    tags: ['Data'],
    auth: 'required',
    permit: 'queries',
    params: z.object({ id: pathId('Dataset'), processId: pathId('Process') }),
    query,
    responses: csv,
    errors: [402, 403, 404, 409, 504],
    handler: async (request) => {
      const { id, processId } = request.params;
      const dataset = await requireProcesses(deps, request.caller, id);
      const right = rightTo(dataset, request.caller);
      return answer(deps, request, dataset, {
        between: { dryRun: processId },
        name: `dry run ${processId}`,
        right,
      });
    },
  });

export const createVersionChangeRoutes = (deps: VersionChangeRoutesDeps): Route[] => [
  ofVersions(deps),
  ofDryRun(deps),
];
