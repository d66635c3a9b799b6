import type { Json, Render } from './openapi-schemas.js';
import { documentedItems } from './openapi-schemas.js';
import type { Route } from './route.js';

const file = {
  description: 'The file: CSV, or gzip of it.',
  // The second alternative is for generators that would use a text for a binary string.
  anyOf: [{ type: 'string', format: 'binary' }, { contentMediaType: 'application/octet-stream' }],
};

/** The upload form. The file is last, since the service reads the options before it. */
const formOf = (route: Route, render: Render): Json => ({
  type: 'object',
  properties: {
    ...Object.fromEntries(documentedItems(route.form).map(([name, item]) => [name, render(item, 'input')])),
    data: file,
  },
  required: ['data'],
  additionalProperties: false,
});

export const requestBodyOf = (route: Route, render: Render): Json | undefined => {
  if (route.body === undefined) return undefined;
  const example = route.bodyExample === undefined ? {} : { example: route.bodyExample };
  if (route.body === 'stream' || route.body === 'bytes') {
    const types = route.bodyTypes ?? ['application/octet-stream'];
    const schemaOf = (type: string): Json => (type === 'multipart/form-data' ? formOf(route, render) : {});
    return {
      required: true,
      content: Object.fromEntries(types.map((type) => [type, { schema: schemaOf(type), ...example }])),
    };
  }
  return {
    required: !route.bodyOptional,
    content: { 'application/json': { schema: render(route.body, 'input'), ...example } },
  };
};

/** Bodies that are not JSON of a known shape. Streamed ones have no length. */
const streamed: Readonly<Record<string, Json>> = {
  'text/csv': {
    type: 'string',
    description: 'Streamed: a record with the names of the columns, then one per row.',
  },
  'text/tab-separated-values': { type: 'string', description: 'Streamed: as CSV, with tabs.' },
  'application/json': {
    type: 'array',
    description: 'Streamed: one object per row and line, members in the order of the columns.',
    items: { type: 'object', additionalProperties: { type: ['string', 'number', 'null'] } },
  },
  'text/event-stream': {
    type: 'string',
    description:
      'Server-sent events, each with the lines `event:` (its name) and `data:` (JSON), until the stream ends.',
  },
  'text/plain': { type: 'string' },
};

const binary: Json = { type: 'string', format: 'binary', description: 'Bytes of a file.' };

/** @param type Without parameters, such as `text/csv`. */
export const schemaOfStream = (type: string): Json => streamed[type] ?? binary;
