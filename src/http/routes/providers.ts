import { z } from 'zod';
import {
  browseEntrySchema,
  providerDetailSchema,
  providerMatchSchema,
  providerSchema,
  quotaSchema,
  searchAllResultSchema,
  searchResultSchema,
} from '../../gateway/answer-schema.js';
import type { Gateway } from '../../gateway/gateway.js';
import { pathName, queryFlag, queryInteger, queryText } from '../parameters.js';
import { ok, type Reply, type Route, route } from '../route.js';
import { ageHeaders, ageHeaderTexts } from './age-headers.js';
import type { GatewayCallers } from './gateway-caller.js';

const shared = { tags: ['Providers'], auth: 'optional' } as const;

export interface ProviderRoutesDeps {
  readonly gateway: Gateway;
  readonly callerOf: GatewayCallers;
}

export const slugParam = pathName('Slug of a provider, in any case.');

/** Error statuses of every route that may send a request to an upstream. */
export const upstreamErrors: readonly number[] = [402, 403, 404, 429, 501, 502, 504];

const entryExample = {
  slug: 'bankofcanada',
  name: 'Valet',
  provider: 'Bank of Canada',
  description: 'Exchange rates, interest rates and other financial statistics of Canada.',
  capabilities: ['hierarchical', 'search'],
};

const catalogRoutes = ({ gateway, callerOf }: ProviderRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/providers',
    operationId: 'listProviders',
    summary: 'List providers',
    description: 'All of them, without paging.',
    ...shared,
    responses: {
      200: { description: 'The providers.', schema: z.array(providerSchema), example: [entryExample] },
    },
    handler: () => ok(gateway.list()),
  }),
  route({
    method: 'GET',
    path: '/providers/match',
    operationId: 'matchProviders',
    summary: 'Find providers by words',
    description:
      'Each word is looked up in slug, name, organisation and description; providers that match more words come first. At most 5.',
    ...shared,
    query: z.object({ q: queryText('Words.') }),
    responses: {
      200: { description: 'Best first.', schema: z.array(providerMatchSchema), example: [entryExample] },
    },
    handler: async (request) => ok(await gateway.match(await callerOf(request), request.query.q)),
  }),
  route({
    method: 'GET',
    path: '/providers/:slug',
    operationId: 'getProvider',
    summary: 'One provider',
    ...shared,
    params: z.object({ slug: slugParam }),
    responses: { 200: { description: 'The provider.', schema: providerDetailSchema } },
    errors: [404],
    handler: async (request) => ok(await gateway.detail(await callerOf(request), request.params.slug)),
  }),
  route({
    method: 'GET',
    path: '/providers/:slug/quota',
    operationId: 'getProviderQuota',
    summary: 'What is left of the limits of a provider',
    description:
      'For the key that requests of the caller would carry. Sends no request to a provider and counts as none.',
    ...shared,
    params: z.object({ slug: slugParam }),
    responses: {
      200: {
        description: 'Limits, and what is left of them.',
        schema: quotaSchema,
        example: {
          slug: 'alphavantage',
          key: 'service',
          api_key_required: true,
          per_second: 1,
          quotas: [{ span: 'day', limit: 25, left: 12, next_at: '2026-03-14T04:00:00' }],
          held_until: null,
        },
      },
    },
    errors: [404],
    handler: async (request) => ok(await gateway.quota(await callerOf(request), request.params.slug)),
  }),
];

const searchRoutes = ({ gateway, callerOf }: ProviderRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/providers/search',
    operationId: 'searchProviders',
    summary: 'Search all providers at once',
    description:
      'Uses the search index of the service. If that has few hits, the searches of providers that have one (FRED, DBnomics, Alpha Vantage) are used as well, within a second and their limits; `notAsked` lists those that were not used.',
    ...shared,
    query: z.object({
      q: queryText('Words or an id.'),
      limit: queryInteger('Most items. Default 50.', { min: 1, max: 200 }).optional(),
    }),
    responses: { 200: { description: 'Best first.', schema: searchAllResultSchema } },
    handler: async (request) => {
      const { q, limit } = request.query;
      return ok(await gateway.searchAll(await callerOf(request), q, limit ?? 50));
    },
  }),
  route({
    method: 'GET',
    path: '/providers/:slug/search',
    operationId: 'searchProvider',
    summary: 'Search one provider',
    permit: 'calls',
    description: 'Needs capability `search`. An empty `q` finds nothing.',
    ...shared,
    params: z.object({ slug: slugParam }),
    query: z.object({ q: queryText('Words or an id.') }),
    responses: { 200: { description: 'Best first.', schema: searchResultSchema } },
    errors: upstreamErrors,
    handler: async (request) =>
      ok(await gateway.search(await callerOf(request), request.params.slug, request.query.q)),
  }),
];

const browseQuery = z.object({
  path: queryText('Permit in the tree; left out: the root.', { maxLength: 2_000 }).optional(),
  depth: queryInteger('Levels of folders. Default 1.', { min: 1, max: 3 }).optional(),
  series: queryFlag('The series at the path, in pages, in place of folders.').optional(),
  limit: queryInteger('With `series=true`: size of the page. Default 200.', {
    min: 1,
    max: 1_000,
  }).optional(),
  offset: queryInteger('With `series=true`: series before the page. Default 0.').optional(),
});

const browse = ({ gateway, callerOf }: ProviderRoutesDeps): Route => {
  type Query = z.output<typeof browseQuery>;

  const seriesPage = async (
    caller: Awaited<ReturnType<GatewayCallers>>,
    slug: string,
    { path = '', limit = 200, offset = 0 }: Query,
  ): Promise<Reply> => {
    const { value, ...age } = await gateway.seriesAt(caller, slug, { path, limit, offset });
    const counted: Record<string, string> =
      value.total === undefined
        ? {}
        : { 'Row-Count': String(value.total), 'Access-Control-Expose-Headers': 'Row-Count' };
    return { status: 200, headers: { ...ageHeaders(age), ...counted }, body: value.items };
  };

  return route({
    method: 'GET',
    path: '/providers/:slug/browse',
    operationId: 'browseProvider',
    summary: 'Browse the tree of a provider',
    permit: 'calls',
    description:
      'Needs capability `hierarchical`. With `depth` above 1 folders have `children`; where they are absent (wide trees, small quotas) continue with `path`. With `series=true` the series at the path.',
    ...shared,
    params: z.object({ slug: slugParam }),
    query: browseQuery,
    responses: {
      200: {
        description: 'Folders, or series.',
        schema: z.array(browseEntrySchema),
        headers: {
          ...ageHeaderTexts,
          'Row-Count': 'With `series=true`: number of all series at the path, if the provider reports it.',
        },
        example: [{ label: 'Exchange rates', path: 'fx', children: [{ label: 'Daily', path: 'fx/daily' }] }],
      },
    },
    errors: upstreamErrors,
    handler: async (request) => {
      const { query, params } = request;
      const caller = await callerOf(request);
      if (query.series === true) return seriesPage(caller, params.slug, query);
      const { value, ...age } = await gateway.browse(caller, params.slug, {
        path: query.path ?? '',
        depth: query.depth ?? 1,
      });
      return { status: 200, headers: ageHeaders(age), body: value };
    },
  });
};

/** The catalog of providers: lists, searches, trees. */
export const createProviderRoutes = (deps: ProviderRoutesDeps): Route[] => [
  ...catalogRoutes(deps),
  ...searchRoutes(deps),
  browse(deps),
];
