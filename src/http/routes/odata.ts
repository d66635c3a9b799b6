import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { rightOf } from '../../catalog/standing-rights.js';
import type { Caller } from '../../model/permission.js';
import { resourceOf } from '../../odata/options.js';
import { pathId } from '../parameters.js';
import { type Reply, type Route, type RouteRequest, route } from '../route.js';
import { createODataAnswers, type ODataAnswersDeps } from './odata-answers.js';
import { createBatch } from './odata-batch.js';
import { answers, formatQuery, type ODataRequest, type ODataService, rowQuery } from './odata-schema.js';
import {
  createODataServices,
  type ODataServicesDeps,
  type OpenService,
  unknownPath,
} from './odata-services.js';

type ODataRoutesDeps = ODataAnswersDeps & ODataServicesDeps & { readonly now?: () => number };

/** The two kinds of roots. */
interface Root {
  /** Folder in its address. */
  readonly folder: 'datasets' | 'repositories';
  readonly noun: string;
  /** Prefix of the names of its operations. */
  readonly operation: string;
  readonly example: string;
  readonly open: OpenService;
}

type ServiceOf = Awaited<ReturnType<OpenService>>;

/** A request to one of the routes. */
type Asked = ODataRequest &
  Pick<
    RouteRequest<{ id: number }, unknown, unknown, Caller | undefined, ServiceOf>,
    'access' | 'params' | 'raw'
  >;

const rootDescriptions = {
  datasets: 'The service document: the address to give to Excel, Power BI and other OData clients.',
  repositories:
    'The service document of a repository: an entity set for each of its datasets that has data and that the caller may read.',
} as const;

export const createODataRoutes = (deps: ODataRoutesDeps): Route[] => {
  const { apiUrl, now = Date.now } = deps;
  const answer = createODataAnswers(deps);
  const batch = createBatch({ answer, now });
  const services = createODataServices(deps);

  const routesOf = ({ folder, noun, operation, example, open }: Root): Route[] => {
    const path = `/odata/${folder}/:id`;
    const id = pathId(noun);
    /** Fields of the declaration that all these routes share. */
    const shared = {
      tags: ['OData'],
      auth: 'optional',
      readsDataset: folder === 'datasets',
      protocol: 'odata',
      authorize: ({ caller, params }: { caller: Caller | undefined; params: { id: number } }) =>
        open(caller, params.id),
      responses: answers,
      errors: [402, 403, 404, 504],
    } as const;
    const rootOf = (raw: IncomingMessage, id: number): string => `${apiUrl(raw)}/odata/${folder}/${id}`;
    const serviceOf = ({ access, raw, params }: Asked): ODataService => access(rootOf(raw, params.id));
    const answered = async (request: Asked, segments: readonly string[]): Promise<Reply> => {
      const resource = resourceOf(segments);
      if (resource === undefined) throw unknownPath(segments.join('/'));
      return answer(request, serviceOf(request), resource);
    };
    const resource = z.string().meta({ openapi: { type: 'string', example } });

    return [
      route({
        ...shared,
        method: 'GET',
        permit: 'requests',
        path,
        operationId: `${operation}Service`,
        summary: `OData service of a ${noun.toLowerCase()}`,
        description: rootDescriptions[folder],
        params: z.object({ id }),
        query: z.object(formatQuery),
        handler: (request) => answered(request, []),
      }),
      route({
        ...shared,
        method: 'POST',
        permit: 'own',
        path: `${path}/$batch`,
        operationId: `${operation}Batch`,
        summary: `Several requests to the OData service of a ${noun.toLowerCase()} at once`,
        description:
          'Up to 50 parts that read, as JSON or as multipart/mixed, answered one after the other: each has the rights, quotas and refusals of a request of its own. Their answers have 8 MiB together. After the first error the rest is left out, unless `Prefer: continue-on-error` is sent.',
        params: z.object({ id }),
        body: 'bytes',
        bodyTypes: ['application/json', 'multipart/mixed'],
        bodyExample: { requests: [{ id: '1', method: 'GET', url: `${example}?$top=5` }] },
        changesNothing: true,
        requestHeaders: { Prefer: '`continue-on-error`: also answer the parts after an error.' },
        responses: {
          200: {
            description: 'The answers, in the form of the request and in its order.',
            schema: z.record(z.string(), z.unknown()),
            contentTypes: ['multipart/mixed'],
            headers: { 'OData-Version': 'Always `4.0`.' },
          },
        },
        handler: async (request) => {
          const { caller, params, raw } = request;
          const reply = await batch(request, async () => {
            const service = await open(caller, params.id);
            return service(rootOf(raw, params.id));
          });
          const datasetId = folder === 'datasets' ? params.id : null;
          return { ...reply, right: rightOf(caller, datasetId, { download: datasetId !== null }) };
        },
      }),
      route({
        ...shared,
        method: 'GET',
        permit: 'own',
        path: `${path}/:resource`,
        operationId: `${operation}Resource`,
        summary: `Resource of the OData service of a ${noun.toLowerCase()}`,
        description: `\`$metadata\`; \`${example}\`, in pages that \`@odata.nextLink\` joins; one row by its key, as in \`${example}('34359738368')\`.`,
        params: z.object({ id, resource }),
        query: rowQuery,
        requestHeaders: {
          Prefer: '`odata.maxpagesize=n`: pages of at most n rows.',
          'OData-MaxVersion': 'Latest version that the client reads; 400 if it is earlier than 4.0.',
        },
        handler: (request) => answered(request, [request.params.resource]),
      }),
      route({
        ...shared,
        method: 'GET',
        permit: 'own',
        path: `${path}/:resource/:part`,
        operationId: `${operation}Count`,
        summary: `Number of rows, by OData, of a ${noun.toLowerCase()}`,
        description: `\`${example}/$count\`: the rows that match, as plain text.`,
        params: z.object({
          id,
          resource,
          part: z.string().meta({ openapi: { type: 'string', example: '$count' } }),
        }),
        query: rowQuery,
        handler: (request) => answered(request, [request.params.resource, request.params.part]),
      }),
    ];
  };

  return [
    ...routesOf({
      folder: 'datasets',
      noun: 'Dataset',
      operation: 'odata',
      example: 'Rows',
      open: services.dataset,
    }),
    ...routesOf({
      folder: 'repositories',
      noun: 'Repository',
      operation: 'odataRepository',
      example: 'Prices',
      open: services.repository,
    }),
  ];
};
