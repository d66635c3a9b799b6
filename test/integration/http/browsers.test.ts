import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Ask, createAsk } from '../../support/api.js';
import { basic } from '../../support/credentials.js';
import { type Client, call, createDataset, json, readDataset, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const trusted = 'https://app.example.org';

let product: TestProduct;
let owner: Client;
let operatorKey: string;
let dataset: number;
let ask: Ask;
let askRoot: Ask;
let askWorker: Ask;
beforeAll(async () => {
  product = await startProduct({ corsOrigins: `${trusted}/,*` });
  owner = await product.createAccount('owner');
  const operator = await product.createAccount('operator');
  await product.sql.query('UPDATE accounts SET is_operator = true WHERE id = $1', [operator.id]);
  operatorKey = operator.key;
  dataset = await createDataset(owner);
  await upload(owner, dataset, 'A\n1\n');
  ask = createAsk(product.baseUrl);
  askRoot = createAsk(new URL(product.baseUrl).origin);
  askWorker = createAsk(product.workerUrl);
});
afterAll(() => product?.close());

const versions = async (): Promise<number> =>
  (await json<unknown[]>(await call(owner, 'GET', `/datasets/${dataset}/versions`))).length;

describe('a page of another site', () => {
  const evil = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
  const host = (): string => new URL(product.baseUrl).host;

  it.each([
    ['a form', { ...evil, 'Sec-Fetch-Mode': 'navigate' }],
    ['a script', { ...evil, 'Sec-Fetch-Mode': 'cors' }],
    ['a page of the same site', { Origin: 'https://other.example.org', 'Sec-Fetch-Site': 'same-site' }],
    ['a browser that sends an origin only', { Origin: 'https://evil.example' }],
    ['a page without an origin', { Origin: 'null' }],
    ['a site without an origin', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('changes nothing with the credentials of the browser: %s', async (_name, headers) => {
    const { currentVersionId } = await readDataset(owner, dataset);
    const before = await versions();
    const requests: [string, string][] = [
      ['POST', `/datasets/${dataset}/versions/${currentVersionId}/restore`],
      ['POST', `/datasets/${dataset}/clone`],
      ['PUT', `/datasets/${dataset}`],
      ['DELETE', `/datasets/${dataset}`],
      ['POST', '/account/keys'],
    ];
    for (const [method, path] of requests) {
      const answer = await ask(method, path, { key: owner.key, headers });
      expect([method, path, answer.status, answer.json().code]).toEqual([method, path, 403, 'cross_site']);
    }
    const withCookie = await ask('POST', '/account/keys', { headers: { ...headers, Cookie: 'session=x' } });
    expect(withCookie.json()).toMatchObject({ code: 'cross_site' });
    expect(await versions()).toBe(before);
  });

  it.each([
    ['curl, without any of these headers', () => ({})],
    ['a page of this service', () => ({ Origin: `http://${host()}`, 'Sec-Fetch-Site': 'same-origin' })],
    ['a page of this service in an old browser', () => ({ Origin: `http://${host()}` })],
    ['the address bar', () => ({ 'Sec-Fetch-Site': 'none' })],
    ['a listed origin', () => ({ Origin: trusted, 'Sec-Fetch-Site': 'cross-site' })],
  ])('is not confused with %s', async (_name, headers) => {
    const { currentVersionId } = await readDataset(owner, dataset);
    const path = `/datasets/${dataset}/versions/${currentVersionId}/restore`;
    expect((await ask('POST', path, { key: owner.key, headers: headers() })).status).toBe(201);
  });

  it('can read, and can query with a key of its own', async () => {
    const read = await ask('GET', `/datasets/${dataset}`, { key: owner.key, headers: evil });
    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const path = `/datasets/${dataset}/query?apiKey=${owner.key}`;
    expect((await ask('POST', path, { body: { $top: 1 }, headers: evil })).status).toBe(200);
    const query = await ask('POST', `/datasets/${dataset}/query`, {
      key: owner.key,
      body: { $top: 1 },
      headers: evil,
    });
    expect(query.status).toBe(200);
  });
});

describe('cross-origin calls', () => {
  const preflight = async (askAny: Ask, origin: string): Promise<Answer> =>
    askAny('OPTIONS', '/datasets', { headers: { Origin: origin, 'Access-Control-Request-Method': 'PUT' } });
  const shown = ({ headers }: Answer) => ({
    origin: headers.get('access-control-allow-origin'),
    methods: headers.get('access-control-allow-methods'),
    credentials: headers.get('access-control-allow-credentials'),
  });

  it('can read from any origin and write from listed origins', async () => {
    expect(shown(await preflight(ask, 'https://elsewhere.example'))).toEqual({
      origin: '*',
      methods: 'GET, HEAD, POST',
      credentials: null,
    });
    expect(shown(await preflight(ask, trusted)).methods).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
  });

  it('are allowed from listed origins only, with credentials, if the settings say so', async () => {
    const closed = await startProduct({ corsOrigins: 'https://app.example.org', corsCredentials: 'true' });
    try {
      const askClosed = createAsk(closed.baseUrl);
      expect(shown(await preflight(askClosed, 'https://elsewhere.example'))).toEqual({
        origin: null,
        methods: null,
        credentials: null,
      });
      const answer = await preflight(askClosed, trusted);
      expect(shown(answer)).toEqual({
        origin: trusted,
        methods: 'GET, HEAD, POST, PUT, PATCH, DELETE',
        credentials: 'true',
      });
      expect(answer.headers.get('vary')).toContain('Origin');
    } finally {
      await closed.close();
    }
  });
});

describe('security headers', () => {
  const wanted = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': expect.stringContaining('camera=()'),
    'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
  };
  const headersOf = (answer: Answer): object =>
    Object.fromEntries(Object.keys(wanted).map((name) => [name, answer.headers.get(name)]));

  /** Pages of the web app are for browsers: other clients get a 404 in JSON. */
  const acceptOf = (path: string): Record<string, string> => (path === '/ops' ? { Accept: 'text/html' } : {});

  it.each([
    ['/', 200],
    ['/docs', 200],
    ['/docs/swagger-ui-bundle.js', 200],
    ['/openapi.json', 200],
    ['/ops', 200],
    ['/api/ops', 200],
    ['/api/datasets', 200],
    ['/healthz', 200],
    ['/metrics', 200],
    ['/nowhere', 404],
    ['/api/datasets/999999', 404],
  ])('are sent with %s', async (path, status) => {
    const answer = await askRoot('GET', path, { key: operatorKey, headers: acceptOf(path) });
    expect([answer.status, headersOf(answer)]).toEqual([status, wanted]);
  });

  it('are sent with refusals, preflights and the pages of a worker', async () => {
    const answers = [
      await askRoot('GET', '/ops'),
      await askRoot('DELETE', '/docs'),
      await askRoot('OPTIONS', '/api/datasets', { headers: { Origin: trusted } }),
      await askRoot('POST', '/api/account/keys', { headers: { Authorization: basic('x'), Origin: 'null' } }),
      await askWorker('GET', '/healthz'),
      await askWorker('GET', '/nowhere'),
    ];
    for (const answer of answers) expect(headersOf(answer)).toEqual(wanted);
  });

  it('let no page load from or send to another origin', async () => {
    for (const path of ['/', '/docs', '/ops']) {
      const { headers, text } = await askRoot('GET', path, { key: operatorKey, headers: acceptOf(path) });
      expect(headers.get('content-security-policy')).toMatch(/base-uri 'none'; form-action 'none'/);
      expect(headers.get('content-security-policy')).not.toMatch(
        /https?:|\*|unsafe-eval|script-src[^;]*unsafe/,
      );
      expect(text).not.toMatch(/(src|href|action)="https?:/);
    }
  });
});
