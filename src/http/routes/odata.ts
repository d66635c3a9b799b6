import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { DatasetAccess } from '../../catalog/access.js';
import type { Quotas } from '../../catalog/quotas.js';
import { invalid, notFound } from '../../lib/errors.js';
import type { Caller } from '../../model/permission.js';
import { metadataJson, metadataXml, serviceDocument } from '../../odata/metadata.js';
import {
  downloadOptions,
  maxPageSizeOf,
  metadataLevel,
  resourceOf,
  type SystemOptions,
} from '../../odata/options.js';
import {
  asEntities,
  type EntityOptions,
  entityContext,
  frameEntity,
  framePage,
  type MetadataLevel,
} from '../../odata/rows.js';
import { propertiesOf } from '../../odata/view.js';
import type { Downloads } from '../../query/download.js';
import type { DownloadRequest } from '../../query/download-request.js';
import type { Plan } from '../../query/plan.js';
import type { Versions } from '../../query/versions.js';
import { encoded } from '../content/coding.js';
import { chooseCoding } from '../content/negotiation.js';
import { pathId, queryFlag } from '../parameters.js';
import { type Reply, type ResponseSpec, type Route, type RouteRequest, route } from '../route.js';
import { meterOf, rightToRead, startExport } from './download-answer.js';

interface ODataRoutesDeps {
  /** Finds a dataset that the caller may read. */
  readonly authorize: (caller: Caller | undefined, datasetId: number) => Promise<DatasetAccess>;
  readonly quotas: Pick<Quotas, 'requireDownload' | 'startExport'>;
  /** Versions under the names that people gave. */
  readonly versions: Pick<Versions, 'find' | 'remembered'>;
  /** Downloads of versions as `createODataVersions` shows them. */
  readonly downloads: Downloads;
  /** Address of the API as this client reaches it. */
  readonly apiUrl: (request: IncomingMessage) => string;
}

interface Params {
  readonly id: number;
  readonly resource: string;
}

interface RowQuery extends SystemOptions {
  readonly $count?: boolean | undefined;
  readonly $format?: string | undefined;
}

type Request<P, Q> = RouteRequest<P, Q, unknown, Caller | undefined, DatasetAccess>;
type RowRequest = Request<Params, RowQuery>;

const option = (description: string): z.ZodType<string | undefined> =>
  z
    .string()
    .optional()
    .meta({ openapi: { type: 'string', description } });

const formatQuery = {
  $format: option('`json`, with `odata.metadata=` `minimal`, `full` or `none`; `xml` of `$metadata`.'),
};

const rowQuery = z.object({
  $select: option('Properties, by identifier.'),
  $filter: option('Condition, in the language of `$filter` of downloads.'),
  $orderby: option('Order; equal rows are in the order of their keys.'),
  $top: option('Most rows of the answer.'),
  $skip: option('Rows to leave out at the start.'),
  $apply: option('Steps of OData Data Aggregation, as those of downloads.'),
  $skiptoken: option('Start of a page, from `@odata.nextLink`.'),
  $count: queryFlag('`true`: `@odata.count` is the number of rows that match.').optional(),
  ...formatQuery,
});

/** Parts of the declaration that all routes share. */
const shared = {
  method: 'GET',
  tags: ['OData'],
  auth: 'optional',
  readsDataset: true,
  permit: 'own',
  protocol: 'odata',
  errors: [402, 403, 404, 504],
} as const;

const answers: Readonly<Record<number, ResponseSpec>> = {
  200: {
    description: 'The document, the rows of a page, or one row.',
    schema: z.record(z.string(), z.unknown()),
    contentTypes: ['application/xml', 'text/plain'],
    headers: { 'OData-Version': 'Always `4.0`.' },
  },
};

const jsonType = (level: MetadataLevel): string =>
  `application/json;odata.metadata=${level};IEEE754Compatible=false;charset=utf-8`;

const headersOf = (type: string): Record<string, string> => ({
  'Content-Type': type,
  'Cache-Control': 'private, no-cache',
  Vary: 'Accept, Accept-Encoding, Authorization',
});

const wantsJson = (format: string | undefined, accept = ''): boolean =>
  format === undefined ? /json/i.test(accept) && !/xml/i.test(accept) : /json/i.test(format);

/** Options that choose, order or page rows mean nothing for one row. @throws AppError 400. */
const requireEntityOptions = (query: RowQuery): void => {
  const { $select: _select, $format: _format, ...others } = query;
  const [name] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined)
    throw invalid('bad_option', `${name}: one row takes $select and $format alone.`, {
      option: name.slice(1),
    });
};

export const createODataRoutes = ({
  authorize,
  quotas,
  versions,
  downloads,
  apiUrl,
}: ODataRoutesDeps): Route[] => {
  const rootOf = ({ raw, params }: Request<{ id: number }, unknown>): string =>
    `${apiUrl(raw)}/odata/datasets/${params.id}`;

  const metadata = async ({ access, query, header }: RowRequest): Promise<Reply> => {
    const { id, currentVersionId, columnsRevision } = access;
    const remembered =
      currentVersionId === null ? undefined : versions.remembered(id, currentVersionId, columnsRevision);
    const { columns } = remembered ?? (await versions.find({ datasetId: id, currentVersionId }));
    const properties = propertiesOf(columns);
    return wantsJson(query.$format, header('accept'))
      ? { status: 200, headers: headersOf('application/json'), body: metadataJson(properties) }
      : { status: 200, headers: headersOf('application/xml'), body: metadataXml(properties) };
  };

  /** The download behind a request for rows, and how its answer is written. */
  const downloadOf = (
    request: RowRequest,
    key: string | undefined,
  ): { download: DownloadRequest; entity: EntityOptions } => {
    const { access, owner, query, signal, requestId } = request;
    const { $count: _count, $format, ...system } = query;
    const { options, selects } = downloadOptions(system, maxPageSizeOf(request.header('prefer')));
    const level = metadataLevel($format, request.header('accept'));
    const entity: EntityOptions = { level, root: rootOf(request), selects, key };
    const adapt = (plan: Plan): Plan => asEntities(plan, entity);
    const beforeAcquire = request.releasePermit;
    return {
      download: { dataset: access, options, format: 'json', owner, beforeAcquire, adapt, signal, requestId },
      entity,
    };
  };

  const nextLinkOf = (request: RowRequest, token: string): string => {
    const query = request.url.replace(/^[^?]*\??/, '').split('&');
    const others = query.filter((item) => item !== '' && !/^(\$|%24)skiptoken=/i.test(item));
    return `${rootOf(request)}/Rows?${[...others, `$skiptoken=${token}`].join('&')}`;
  };

  const bodyOf = async (
    request: RowRequest,
    { download, entity }: ReturnType<typeof downloadOf>,
  ): Promise<Readable> => {
    const { key, level } = entity;
    const plan = await downloads.plan(download);
    const context = level === 'none' ? undefined : entityContext(plan, entity);
    const counts = key !== undefined || request.query.$count === true;
    const count = counts ? await downloads.count(plan, download) : undefined;
    if (key !== undefined && count === 0)
      throw notFound('unknown_row', `Rows has no row with the key ${key}.`);
    if (request.method === 'HEAD') return Readable.from([]);
    const { body, next } = await downloads.open(plan, download);
    if (key !== undefined) return frameEntity(body, context);
    return framePage(body, {
      context,
      count,
      nextLink: next === undefined ? undefined : nextLinkOf(request, next),
    });
  };

  const rows = async (request: RowRequest, key?: string): Promise<Reply> => {
    if (key !== undefined) requireEntityOptions(request.query);
    const { download, entity } = downloadOf(request, key);
    const { top, pageSize } = download.options;
    const ticket = await startExport(quotas, request.caller, top ?? pageSize);
    try {
      const body = await bodyOf(request, { download, entity });
      const coding = chooseCoding(request.header('accept-encoding'));
      const preferred = maxPageSizeOf(request.header('prefer'));
      return {
        status: 200,
        headers: {
          ...headersOf(jsonType(entity.level)),
          ...(coding === 'identity' ? {} : { 'Content-Encoding': coding }),
          ...(preferred === undefined ? {} : { 'Preference-Applied': `odata.maxpagesize=${pageSize}` }),
        },
        body: encoded(body, coding),
        right: rightToRead(request.caller, request.access.id),
        meter: meterOf(ticket, request.log),
      };
    } catch (error) {
      await ticket.cancel();
      throw error;
    }
  };

  const count = async (request: RowRequest): Promise<Reply> => {
    const { download } = downloadOf(request, undefined);
    const number = await downloads.count(await downloads.plan(download), download);
    return { status: 200, headers: headersOf('text/plain; charset=utf-8'), body: String(number) };
  };

  const unknown = (path: string) => notFound('unknown_path', `The service has no ${path.slice(0, 64)}.`);

  const mayRead = async ({
    caller,
    params,
  }: {
    caller: Caller | undefined;
    params: { id: number };
  }): Promise<DatasetAccess> => {
    const access = await authorize(caller, params.id);
    await quotas.requireDownload(caller, access);
    return access;
  };

  return [
    route({
      ...shared,
      permit: 'requests',
      path: '/odata/datasets/:id',
      operationId: 'odataService',
      summary: 'OData service of a dataset',
      description: 'The service document: the address to give to Excel, Power BI and other OData clients.',
      params: z.object({ id: pathId('Dataset') }),
      query: z.object(formatQuery),
      authorize: mayRead,
      responses: answers,
      handler: (request) => {
        const level = metadataLevel(request.query.$format, request.header('accept'));
        const body = serviceDocument(rootOf(request), level !== 'none');
        return { status: 200, headers: headersOf(jsonType(level)), body };
      },
    }),
    route({
      ...shared,
      path: '/odata/datasets/:id/:resource',
      operationId: 'odataResource',
      summary: 'Resource of the OData service of a dataset',
      description:
        "`$metadata`; `Rows`, in pages that `@odata.nextLink` joins; one row by its key, as in `Rows('34359738368')`.",
      params: z.object({
        id: pathId('Dataset'),
        resource: z.string().meta({ openapi: { type: 'string', example: 'Rows' } }),
      }),
      query: rowQuery,
      requestHeaders: { Prefer: '`odata.maxpagesize=n`: pages of at most n rows.' },
      authorize: mayRead,
      responses: answers,
      handler: async (request) => {
        const resource = resourceOf(request.params.resource);
        if (resource === undefined) throw unknown(request.params.resource);
        if (resource.kind === 'metadata') return metadata(request);
        return rows(request, resource.kind === 'row' ? resource.key : undefined);
      },
    }),
    route({
      ...shared,
      path: '/odata/datasets/:id/:resource/:part',
      operationId: 'odataCount',
      summary: 'Number of rows, by OData',
      description: '`Rows/$count`: the rows that match, as plain text.',
      params: z.object({
        id: pathId('Dataset'),
        resource: z.string().meta({ openapi: { type: 'string', example: 'Rows' } }),
        part: z.string().meta({ openapi: { type: 'string', example: '$count' } }),
      }),
      query: rowQuery,
      authorize: mayRead,
      responses: answers,
      handler: async (request) => {
        const { resource, part } = request.params;
        if (resource !== 'Rows' || part !== '$count') throw unknown(`${resource}/${part}`);
        return count(request);
      },
    }),
  ];
};
