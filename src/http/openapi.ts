import type { z } from 'zod';
import { errorCodes } from './error-codes/error-codes.js';
import { requestBodyOf, schemaOfStream } from './openapi-bodies.js';
import { createSchemas, documentedItems, type Json, type Render } from './openapi-schemas.js';
import { isForOperators, tagGroups, tags } from './openapi-tags.js';
import type { Route } from './route.js';
import { templateOf } from './router.js';

interface OpenApiOptions {
  readonly routes: readonly Route[];
  readonly version: string;
  /** Prefix of every path while the address of the service is not known. */
  readonly base: string;
}

/** Meaning of each error status, in the words of the contract. */
const errorTexts: Readonly<Record<number, string>> = {
  400: 'The request is malformed or a field is wrong.',
  401: 'No valid credentials.',
  402: 'The action needs a higher plan; the body names the quota, its limit and its use.',
  403: 'Valid credentials without permission, also for what is private to others.',
  404: 'It does not exist.',
  405: 'The path does not support this method.',
  408: 'The body took too long to arrive.',
  409: 'Conflict with what exists.',
  412: 'A precondition failed.',
  413: 'The body is larger than allowed.',
  415: 'The body has a wrong content type.',
  422: 'The contents of the file cannot be accepted.',
  426: 'The request uses HTTP/1.0, and the response is too long for it.',
  429: 'Too many requests: a limit of an upstream provider, which the message names, or of this caller.',
  500: 'Unexpected server error.',
  501: 'The provider does not implement the operation.',
  502: 'The upstream provider answered with an error.',
  503: 'Temporarily unavailable; try again with exponential backoff.',
  504: 'A long operation timed out.',
};

const errorSchema = (name: 'error' | 'message'): Json => ({
  type: 'object',
  required: [name, 'code'],
  properties: {
    [name]: { type: 'string', description: 'Message for people.' },
    code: {
      type: 'string',
      enum: errorCodes,
      description: 'Stable code for programs. Later versions may add codes.',
    },
    details: { type: 'object', description: 'Details of the error.', additionalProperties: true },
    requestId: { type: 'string', description: 'Identifies the request in the logs of the service.' },
  },
});

const odataErrorSchema: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: errorCodes },
        message: { type: 'string' },
        innererror: { type: 'object', additionalProperties: true },
      },
    },
  },
};

const parametersOf = (route: Route, render: Render): Json[] => {
  const list = (schema: z.ZodObject | undefined, location: 'path' | 'query'): Json[] =>
    documentedItems(schema).map(([name, item]) => {
      const { description, example, ...rendered } = render(item, 'input');
      return {
        name,
        in: location,
        required: location === 'path' || !item.safeParse(undefined).success,
        ...(description === undefined ? {} : { description }),
        schema: rendered,
        ...(example === undefined ? {} : { example }),
      };
    });
  const headers = Object.entries(route.requestHeaders ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  return [...list(route.params, 'path'), ...list(route.query, 'query'), ...headers];
};

const retryAfter = {
  description: 'Seconds after which the request may succeed.',
  schema: { type: 'integer', minimum: 1 },
};

const errorStatusesOf = (route: Route): number[] => {
  const statuses = new Set<number>([400, 500, 503, ...(route.errors ?? [])]);
  if (route.auth !== 'none') statuses.add(401);
  if (route.method === 'GET' || route.changesNothing) statuses.add(426);
  if (route.body !== undefined && route.body !== 'stream')
    for (const status of [408, 413, 415]) statuses.add(status);
  return [...statuses].sort((a, b) => a - b);
};

const responsesOf = (route: Route, render: Render): Json => {
  const responses: Json = {};
  for (const [status, spec] of Object.entries(route.responses)) {
    const example = spec.example === undefined ? {} : { example: spec.example };
    const json =
      spec.schema === undefined
        ? {}
        : { 'application/json': { schema: render(spec.schema, 'output'), ...example } };
    const other = Object.fromEntries(
      (spec.contentTypes ?? [])
        // A key of the document is the media type without parameters.
        .map((type) => type.replace(/;.*/, ''))
        .filter((type) => !(type in json))
        .map((type) => [type, { schema: schemaOfStream(type), ...example }]),
    );
    const content = { ...json, ...other };
    const headers = Object.entries(spec.headers ?? {}).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]);
    responses[status] = {
      description: spec.description,
      ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
      ...(Object.keys(content).length === 0 ? {} : { content }),
    };
  }
  for (const status of errorStatusesOf(route)) {
    const asMessage = status === 404 && route.notFoundShape === 'message';
    const shape = route.protocol === 'odata' ? 'ODataError' : asMessage ? 'NotFoundMessage' : 'Error';
    responses[status] ??= {
      description: errorTexts[status] ?? 'Error.',
      ...([429, 502, 503].includes(status) ? { headers: { 'Retry-After': retryAfter } } : {}),
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${shape}` } } },
    };
  }
  return responses;
};

const securityOf = (route: Route): Json[] => {
  const schemes: Json[] = [{ bearer: [] }, { basic: [] }, { apiKey: [] }];
  if (route.auth === 'none') return [];
  return route.auth === 'optional' ? [{}, ...schemes] : schemes;
};

/** The OpenAPI 3.1 document of the routes. */
export const createOpenApi = ({ routes, version, base }: OpenApiOptions): Json => {
  const components: Json = {
    Error: errorSchema('error'),
    NotFoundMessage: errorSchema('message'),
    ODataError: odataErrorSchema,
  };
  const render = createSchemas(components);
  const paths: Record<string, Json> = {};
  const shown = routes.filter(({ hidden }) => hidden !== true);
  const inOrder = [
    ...shown.filter((route) => !isForOperators(route.tags)),
    ...shown.filter((route) => isForOperators(route.tags)),
  ];
  for (const route of inOrder) {
    const path = templateOf(route.path);
    const parameters = parametersOf(route, render);
    const requestBody = requestBodyOf(route, render);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = {
      operationId: route.operationId,
      summary: route.summary,
      ...(route.description === undefined ? {} : { description: route.description }),
      tags: route.tags,
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(requestBody === undefined ? {} : { requestBody }),
      security: securityOf(route),
      responses: responsesOf(route, render),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'tabulary',
      version,
      description:
        'Data catalog, dataset store and provider gateway for tabular and time-series data. Every request may have an ' +
        '`X-Request-Id`; every response has one, which finds the request in the logs of the service.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: base }],
    tags,
    'x-tagGroups': tagGroups,
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The API key. No access log records it.' },
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'API key as user name, empty password. Access logs of proxies record user names.',
        },
        apiKey: {
          type: 'apiKey',
          in: 'query',
          name: 'apiKey',
          description: 'Ends up in addresses and logs: prefer Bearer.',
        },
      },
    },
  };
};
