import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAsk } from '../../support/api.js';
import { type Contract, createContract, type OpenApiDocument } from '../../support/contract.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { accessTable, type CallerName, callers, parseAccessTable } from './access-table.js';
import { createWorld, type Subject, type World } from './access-world.js';

let product: TestProduct;
let world: World;
let contract: Contract;
beforeAll(async () => {
  product = await startProduct({ trustedProxies: '127.0.0.1' });
  world = await createWorld(product.sql, product.baseUrl);
  const root = new URL(product.baseUrl).origin;
  contract = createContract((await createAsk(root)('GET', '/openapi.json')).json<OpenApiDocument>());
});
afterAll(async () => {
  await product.close();
});

const rows = parseAccessTable(accessTable);
let serial = 0;
const next = (): number => {
  serial += 1;
  return serial;
};
const unique = (): string => `matrix ${next()}`;

const file = (): FormData => {
  const form = new FormData();
  form.set('data', new Blob(['Country,Value\nFR,1\n']), 'data.csv');
  return form;
};

/** Valid bodies, so that the status depends only on access. */
const bodies: Readonly<Record<string, (subject: Subject, caller: CallerName) => object>> = {
  'PUT /account': () => ({ workspace: 'personal' }),
  'POST /account/keys': () => ({ name: 'matrix' }),
  'POST /repositories': () => ({ name: 'matrix', privacy: 'Private' }),
  'PUT /repositories/{id}': () => ({ name: 'matrix', privacy: 'Private' }),
  'PUT /repositories/{id}/permissions/{name}': () => ({ level: 'Read' }),
  'PUT /repositories/{id}/transfer': () => ({ account: 'guest' }),
  'POST /datasets': ({ repositoryId }) => ({ name: unique(), repositoryId }),
  // The name is part of URLs.
  'PUT /datasets/{id}': () => ({ name: 'subject', description: unique() }),
  'POST /datasets/{id}/clone': (_subject, caller) => ({ name: unique(), repositoryId: world.homeOf(caller) }),
  'PUT /datasets/{id}/permissions/{name}': () => ({ level: 'Read' }),
  'PATCH /datasets/{dataset_id}/columns/{column_id}': () => ({ description: unique() }),
  'PUT /datasets/{id}/data': file,
  'PUT /datasets/{id}/retention': () => ({ versions: 5 }),
  'PUT /datasets/{id}/versions/{versionId}': () => ({ label: unique() }),
  'POST /datasets/{id}/query': () => ({ $top: 1 }),
  'POST /odata/datasets/{id}/$batch': () => ({ requests: [] }),
  'POST /odata/repositories/{id}/$batch': () => ({ requests: [] }),
  'POST /datasets/{id}/read-links': () => ({ name: 'matrix', query: { $top: 1 } }),
  'PATCH /account/read-links/{id}': () => ({ name: 'renamed' }),
  'PUT /user-keys/{slug}': () => ({ api_key: 'x' }),
  'POST /providers/{slug}/series/{series_id}/data': () => ({}),
  'POST /providers/{slug}/series/{seriesId}/dataset': ({ repositoryId }) => ({ repositoryId }),
  'PUT /datasets/{id}/refresh': () => ({ refresh: 'daily' }),
  'POST /teams': () => ({ name: unique() }),
  'PUT /ops/consuming': () => ({ paused: false }),
  'PUT /teams/{name}': ({ team }) => ({ name: team }),
  'PUT /teams/{name}/members/{account}': () => ({ role: 'member' }),
};

/** True for operations whose success would affect the next request. */
const destroys = (operation: string): boolean =>
  operation.startsWith('DELETE ') ||
  operation === 'PUT /repositories/{id}' ||
  operation === 'POST /datasets/{id}/versions/{versionId}/restore' ||
  operation === 'PUT /datasets/{id}/data';

const pathOf = (operation: string, subject: Subject): string => {
  const template = operation.split(' ')[1] ?? '';
  const id = /^(?:\/odata)?\/repositories/.test(template)
    ? subject.repositoryId
    : template.startsWith('/account/read-links')
      ? subject.linkId
      : template.startsWith('/account')
        ? subject.spareKeyId
        : subject.datasetId;
  const values: Record<string, string | number> = {
    id,
    dataset_id: subject.datasetId,
    column_id: subject.columnId,
    column: subject.columnId,
    processId: subject.processId,
    versionId: subject.versionId,
    from: subject.versionId,
    to: subject.versionId,
    name: template.startsWith('/teams') ? encodeURIComponent(subject.team) : 'guest',
    account: 'guest',
    team: encodeURIComponent(subject.team),
    resource: template.startsWith('/odata/repositories') ? 'subject' : 'Rows',
    part: '$count',
    kind: 'odc',
    token: 'forged',
    // An unknown provider, so that no upstream is called.
    slug: 'nowhere',
    seriesId: 'x',
    query: 'x',
    symbol: 'x',
  };
  const path = template.replace(/\{(\w+)\}/g, (_all, name: string) => String(values[name]));
  return /^\/providers\/(.*\/)?(match|search)$/.test(path) ? `${path}?q=x` : path;
};

const request = async (operation: string, subject: Subject, caller: CallerName): Promise<number> => {
  const method = operation.split(' ')[0] ?? '';
  const path = pathOf(operation, subject);
  const body = bodies[operation]?.(subject, caller);
  const isForm = body instanceof FormData;
  const key = world.keyOf(caller);
  const response = await fetch(`${product.baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      // A different address per request, so that refusals are not rate-limited.
      'X-Forwarded-For': `10.0.${next() >> 8}.${serial & 255}`,
      ...(key === undefined ? {} : { Authorization: `Basic ${btoa(`${key}:`)}` }),
      ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const contentType = response.headers.get('content-type');
  contract.check({ method, path, status: response.status, contentType, text });
  return response.status;
};

it('the access table has a row for every operation of the document, and no other', () => {
  const operations = Object.entries(contract.document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect([...new Set(rows.map(({ operation }) => operation))].sort()).toEqual(operations.sort());
});

it('the parser of the access table refuses an invalid row', () => {
  expect(() => parseAccessTable('GET /x 200 200')).toThrow('not a row');
});

describe.each(rows)('$operation of a $privacy repository', ({ operation, privacy, expected }) => {
  it('answers every caller with the status in the table', async () => {
    const seen: Record<string, number> = {};
    let subject: Subject | undefined;
    for (const caller of callers) {
      subject ??= await (destroys(operation) ? world.fresh(privacy) : world.shared(privacy));
      const status = await request(operation, subject, caller);
      seen[caller] = status;
      // Refused requests change nothing, so the subject can be reused.
      if (status < 300) subject = undefined;
    }
    expect(seen).toEqual(expected);
  });
});
