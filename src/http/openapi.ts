import { z } from 'zod';
import { errorCodes } from './error-codes/error-codes.js';
import type { Route } from './route.js';
import { templateOf } from './router.js';

export interface OpenApiOptions {
  readonly routes: readonly Route[];
  readonly version: string;
  /** In front of every path, as long as the address of the service is not known. */
  readonly base: string;
}

type Json = Record<string, unknown>;

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
  412: 'A precondition does not hold.',
  413: 'The body is larger than allowed.',
  415: 'The body has a wrong content type.',
  422: 'The contents of the file cannot be accepted.',
  426: 'The request came by HTTP/1.0, and the response is too long to be sent that way.',
  429: 'The rate limit of an upstream provider was hit; the message names the provider.',
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
    [name]: { type: 'string', description: 'What went wrong, in words.' },
    code: {
      type: 'string',
      enum: errorCodes,
      description: 'What went wrong, as a stable code for programs. Later versions may add codes.',
    },
    details: { type: 'object', description: 'Details of the error.', additionalProperties: true },
    requestId: { type: 'string', description: 'Identifies the request in the logs of the service.' },
  },
});

/** Every whole number of JavaScript lies within these; as bounds of a field they would only be examples. */
const withoutNumberBounds = (schema: Json): void => {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) Reflect.deleteProperty(schema, 'minimum');
  if (schema.maximum === Number.MAX_SAFE_INTEGER) Reflect.deleteProperty(schema, 'maximum');
};

const createSchemas = (components: Json) => {
  const render = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const {
      $schema: _dialect,
      $defs: definitions = {},
      ...rendered
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const shown = z.globalRegistry.get(zodSchema)?.openapi;
        if (shown === undefined) return withoutNumberBounds(jsonSchema);
        for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
        Object.assign(jsonSchema, shown);
      },
    }) as Json;
    Object.assign(components, hoisted(definitions as Json));
    return hoisted(rendered);
  };
  const hoisted = (schema: Json): Json =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
  return render;
};

type Render = ReturnType<typeof createSchemas>;

/** Parameters that are read but not shown are left out. */
const documentedItems = (schema: z.ZodObject | undefined) =>
  Object.entries(schema?.shape ?? {}).filter(
    ([, item]) => z.globalRegistry.get(item as z.ZodType)?.undocumented !== true,
  );

const parametersOf = (route: Route, render: Render): Json[] => {
  const list = (schema: z.ZodObject | undefined, location: 'path' | 'query'): Json[] =>
    documentedItems(schema).map(([name, item]) => {
      const { description, example, ...rendered } = render(item as z.ZodType, 'input');
      return {
        name,
        in: location,
        required: location === 'path' || !(item as z.ZodType).safeParse(undefined).success,
        ...(description === undefined ? {} : { description }),
        schema: rendered,
        ...(example === undefined ? {} : { example }),
      };
    });
  return [...list(route.params, 'path'), ...list(route.query, 'query')];
};

const requestBodyOf = (route: Route, render: Render): Json | undefined => {
  if (route.body === undefined) return undefined;
  const example = route.bodyExample === undefined ? {} : { example: route.bodyExample };
  if (route.body === 'stream') {
    const types = route.bodyTypes ?? ['application/octet-stream'];
    const schema = {
      type: 'object',
      properties: {
        data: {
          description: 'The file.',
          // The second form is for generators that would make a text of a binary string.
          anyOf: [{ type: 'string', format: 'binary' }, { contentMediaType: 'application/octet-stream' }],
        },
      },
      required: ['data'],
      additionalProperties: false,
    };
    return {
      required: true,
      content: Object.fromEntries(
        types.map((type) => [type, { schema: type === 'multipart/form-data' ? schema : {}, ...example }]),
      ),
    };
  }
  return {
    required: !route.bodyOptional,
    content: { 'application/json': { schema: render(route.body, 'input'), ...example } },
  };
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
        // A key of the document is the bare media type.
        .map((type) => type.replace(/;.*/, ''))
        .filter((type) => !(type in json))
        .map((type) => [type, { schema: {}, ...example }]),
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
    const shape = status === 404 && route.notFoundShape === 'message' ? 'NotFoundMessage' : 'Error';
    responses[status] ??= {
      description: errorTexts[status] ?? 'Error.',
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

const operationIdOf = (route: Route): string =>
  route.method.toLowerCase() +
  route.path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) =>
      segment
        .replace(/^[:*]/, 'by-')
        .replace(/(?:^|[-_])(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    )
    .join('');

/** The OpenAPI 3.1 document of the routes. */
export const createOpenApi = ({ routes, version, base }: OpenApiOptions): Json => {
  const components: Json = { Error: errorSchema('error'), NotFoundMessage: errorSchema('message') };
  const render = createSchemas(components);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    if (route.hidden) continue;
    const path = templateOf(route.path);
    const parameters = parametersOf(route, render);
    const requestBody = requestBodyOf(route, render);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = {
      operationId: operationIdOf(route),
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
      description: 'Data catalog, dataset store and provider gateway for tabular and time-series data.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: base }],
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
