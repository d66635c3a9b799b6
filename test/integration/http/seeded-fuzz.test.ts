/**
 * Small version of the Schemathesis run without Python and with a fixed seed: no request causes a 5xx, and every
 * answer matches the document.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createAsk, startTestApi, type TestApi } from '../../support/api.js';
import { basic } from '../../support/credentials.js';

let api: TestApi;
let key: string;
let ownKeyId: number;
beforeAll(async () => {
  api = await startTestApi({ databaseUrl: inject('databaseUrl') });
  const person = await api.person('fuzz');
  key = person.key;
  ownKeyId = (await person.ask('GET', '/account/keys')).json<{ id: number }[]>()[0]?.id ?? 0;
  await person.ask('POST', '/repositories', { name: 'subject', privacy: 'Public' });
  await person.ask('POST', '/datasets', { name: 'subject', repositoryId: 2 });
  await person.ask('POST', '/teams', { name: 'subject' });
});
afterAll(async () => {
  await api.close();
});

const nasty = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 1,
  '',
  ' ',
  '\0',
  '\ud800',
  "'; DROP TABLE datasets; --",
  '../../etc/passwd',
  '%00',
  'a'.repeat(70_000),
  [],
  [[[[]]]],
  {},
  { __proto__: null, constructor: 1 },
);
const anyValue = fc.oneof(nasty, fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary' }));
const segment = fc.oneof(
  fc.constantFrom(
    '1',
    '2',
    'home',
    'subject',
    'fuzz',
    '1e9',
    '-1',
    '99999999999999999999',
    '%',
    '%00',
    '%FF',
    '..',
    ' ',
  ),
  fc.string({ minLength: 1, maxLength: 20 }).map((text) => encodeURIComponent(text)),
);

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly example: Record<string, unknown> | undefined;
  readonly queries: readonly string[];
}

const operations = (): Operation[] =>
  Object.entries(api.contract.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      example: operation.requestBody?.content['application/json']?.example as
        | Record<string, unknown>
        | undefined,
      queries: (operation.parameters ?? []).filter((item) => item.in === 'query').map(({ name }) => name),
    })),
  );

/** The example, unchanged or with a field removed, changed or added. */
const bodyFrom = (example: Record<string, unknown>): fc.Arbitrary<unknown> => {
  const field = fc.constantFrom(...Object.keys(example), 'more');
  return fc.oneof(
    fc.constant(example),
    anyValue,
    field.map((name) => Object.fromEntries(Object.entries(example).filter(([other]) => other !== name))),
    fc.tuple(field, anyValue).map(([name, value]) => ({ ...example, [name]: value })),
  );
};

const requestOf = (operation: Operation) =>
  fc.record({
    segments: fc.array(segment, { minLength: 3, maxLength: 3 }),
    body: operation.example === undefined ? fc.constant(undefined) : bodyFrom(operation.example),
    query: fc.dictionary(
      fc.oneof(fc.constantFrom('apiKey', '_x', ...operation.queries), fc.string({ maxLength: 8 })),
      fc.string({ unit: 'binary', maxLength: 30 }),
      { maxKeys: 2 },
    ),
    credentials: fc.constantFrom(basic(key), basic(key), basic(key), basic('wrong'), 'Basic ###', undefined),
  });

it('a random request never causes a 5xx, and its answer conforms to the document', async () => {
  const ask = createAsk(`${api.root}/api`, api.contract);
  for (const operation of operations()) {
    await fc.assert(
      fc.asyncProperty(requestOf(operation), async ({ segments, body, query, credentials }) => {
        let used = 0;
        const path = operation.path.replace(/\{\w+\}/g, () => segments[used++ % segments.length] ?? '1');
        // The run must not revoke its own key.
        if (operation.path === '/account/keys/{id}' && path.endsWith(`/${ownKeyId}`)) return;
        const search = new URLSearchParams(query).toString();
        const answer = await ask(operation.method, search === '' ? path : `${path}?${search}`, {
          ...(body === undefined ? {} : { body }),
          headers: credentials === undefined ? {} : { Authorization: credentials },
        });
        expect(answer.status).toBeLessThan(500);
      }),
      { seed: 4, numRuns: 15 },
    );
  }
});
