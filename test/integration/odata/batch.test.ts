/** `$batch` answers its parts like separate requests. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlans } from '../../../src/catalog/plans.js';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { basic, odataService } from '../../support/odata-service.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;
let dataset: number;
let service: ReturnType<typeof odataService>;

beforeAll(async () => {
  product = await startProduct();
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('batching')).key };
  dataset = await createDataset(owner);
  const big = '123456789012345678901234567890.25';
  expect(await upload(owner, dataset, `k,n,Big\na,1,${big}\nb,2,\nc,3,1\n`)).toMatchObject({
    status: 'completed',
  });
  service = odataService(owner, dataset);
});

afterAll(() => product?.close());

interface Answer {
  readonly id: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const send = (
  body: string,
  headers: Record<string, string> = {},
  { root, key }: { root: string; key: string } = { root: service.root, key: owner.key },
): Promise<Response> =>
  fetch(`${root}/$batch`, {
    method: 'POST',
    headers: { ...basic(key), 'content-type': 'application/json', ...headers },
    body,
  });

const part = (url: string, more: object = {}): object => ({ method: 'GET', url, ...more });

const numbered = (parts: readonly object[]): string =>
  JSON.stringify({ requests: parts.map((one, at) => ({ id: String(at), ...one })) });

const continuesOnError = { prefer: 'continue-on-error' };

const answersOf = async (parts: readonly object[], headers: Record<string, string> = continuesOnError) =>
  (await json<{ responses: readonly Answer[] }>(await send(numbered(parts), headers))).responses;

describe('a JSON batch', () => {
  it('is answered where the service does not know its own address', async () => {
    const { hostname, port, pathname } = new URL(service.root);
    const asked = request({
      hostname,
      port,
      method: 'POST',
      path: `${pathname}/$batch`,
      headers: { ...basic(owner.key), host: 'data.example', 'content-type': 'application/json' },
    });
    asked.end(numbered([part('Rows/$count'), part(`${pathname}/Rows/$count`)]));
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const { responses } = JSON.parse(await text(answer)) as { responses: Answer[] };
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('answers each part as a request of its own', async () => {
    const path = new URL(service.root).pathname;
    const answers = await answersOf(
      [
        part('Rows?$top=1&$select=k'),
        part('Rows/$count'),
        part(`${service.root}/Rows?%24filter=k%20eq%20'b'`),
        part(`${path}/$metadata?$format=json`),
        part('', {}),
        part(path),
        part("Rows?$filter=Big eq '123456789012345678901234567890.25'&$select=Big"),
      ].filter((one) => (one as { url: string }).url !== ''),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(answers.map(({ id }) => id)).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(answers[0]?.body).toMatchObject({ value: [{ k: 'a' }] });
    expect(answers[0]?.headers).toMatchObject({ 'OData-Version': '4.0' });
    expect(answers[1]?.body).toBe('3');
    expect(answers[2]?.body).toMatchObject({ value: [{ k: 'b', n: 2 }] });
    expect(answers[3]?.body).toMatchObject({ $Version: '4.0' });
    expect(answers[4]?.body).toMatchObject({ value: [{ name: 'Rows' }] });
    expect(answers[5]?.body).toMatchObject({ value: [{ Big: '123456789012345678901234567890.25' }] });
  });

  it('pages each part by its own preference, with links to the next page', async () => {
    const [answer] = await answersOf([part('Rows', { headers: { Prefer: 'odata.maxpagesize=2' } })]);
    expect(answer?.headers).toMatchObject({ 'Preference-Applied': 'odata.maxpagesize=2' });
    const body = answer?.body as { value: unknown[]; '@odata.nextLink': string };
    expect(body.value).toHaveLength(2);
    expect(body['@odata.nextLink'].startsWith(`${service.root}/Rows?`)).toBe(true);
  });

  it('refuses parts with the codes of plain requests, and stops after the first unless continue-on-error is set', async () => {
    const parts = [
      part('Rows?$filter=Nowhere eq 1'),
      part('Nowhere'),
      part('Rows?$foo=1'),
      part('Rows', { method: 'POST' }),
      part('$batch'),
      part(`/api/odata/datasets/${dataset + 1}/Rows`),
      part('Rows?apiKey=other'),
      part('Rows', { headers: { Authorization: 'Bearer other' } }),
      part('Rows?$filter=k%20eq%20%FF'),
      part('%FF'),
      part('../../../account'),
      part("Rows('18446744073709551615')"),
      part('Rows/$count'),
    ];
    const seen = (await answersOf(parts)).map(({ status, body }) => [
      status,
      (body as { error?: { code: string } }).error?.code,
    ]);
    expect(seen).toEqual([
      [400, 'unknown_column'],
      [404, 'unknown_path'],
      [400, 'unknown_parameter'],
      [405, 'wrong_method'],
      [404, 'unknown_path'],
      [400, 'bad_batch'],
      [400, 'bad_batch'],
      [400, 'bad_batch'],
      [400, 'invalid_request'],
      [400, 'invalid_request'],
      [404, 'unknown_path'],
      [404, 'unknown_row'],
      [200, undefined],
    ]);
    expect(await answersOf(parts, {})).toHaveLength(1);
  });

  it('counts each part as an export, and refuses those beyond the plan', async () => {
    const plans = createPlans({ sql: product.sql });
    await plans.put({ ...(await plans.read('unlimited')), name: 'three', maxExportsPerDay: 3 });
    const reader = await product.createAccount('batchreader', 'three');
    expect(
      (await call(owner, 'PUT', `/datasets/${dataset}/permissions/batchreader`, { level: 'Read' })).ok,
    ).toBe(true);
    const parts = numbered(Array.from({ length: 5 }, () => part('Rows')));
    const response = await send(parts, continuesOnError, { root: service.root, key: reader.key });
    const { responses } = await json<{ responses: readonly Answer[] }>(response);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 402, 402]);
  });

  it('is refused as a whole if it is malformed or has too many parts or bytes', async () => {
    const cases = [
      ['{', 400, 'bad_batch'],
      ['[]', 400, 'bad_batch'],
      ['{"requests":{}}', 400, 'bad_batch'],
      ['{"requests":[1]}', 400, 'bad_batch'],
      [numbered([part('Rows', { atomicityGroup: 'g' })]), 400, 'bad_batch'],
      [numbered([part('Rows', { id: '1' }), part('Rows', { id: '1' })]), 400, 'bad_batch'],
      [numbered(Array.from({ length: 51 }, () => part('Rows'))), 400, 'too_many_parts'],
      [numbered([part(`Rows?$filter=${'x'.repeat(1_100_000)}`)]), 413, 'body_too_large'],
      ['', 400, 'missing_body'],
    ] as const;
    for (const [body, status, code] of cases) {
      const response = await send(body);
      expect([body.slice(0, 40), response.status]).toEqual([body.slice(0, 40), status]);
      expect(await response.json()).toMatchObject({ error: { code } });
    }
    const form = await send('a=b', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(form.status).toBe(415);
  });

  it('refuses parts beyond 8 MiB of answers', async () => {
    const id = await createDataset(owner);
    const line = `${'long text '.repeat(20)}`;
    const rows = Array.from({ length: 20_000 }, (_, at) => `${at},${line}\n`).join('');
    expect(await upload(owner, id, `n,t\n${rows}`)).toMatchObject({ status: 'completed' });
    const { root } = odataService(owner, id);
    const response = await send(
      numbered([...Array.from({ length: 6 }, () => part('Rows?$top=10000')), part('Rows/$count')]),
      continuesOnError,
      { root, key: owner.key },
    );
    const { responses } = await json<{ responses: readonly Answer[] }>(response);
    const statuses = responses.map(({ status }) => status);
    expect(statuses.at(0)).toBe(200);
    expect(statuses).toContain(413);
    expect(statuses.at(-1)).toBe(200);
  });
});

describe('a multipart/mixed batch', () => {
  const boundary = 'batch_a.b-c';
  const type = { 'content-type': `multipart/mixed; boundary=${boundary}` };
  const multipart = (requests: readonly string[], end = '\r\n', emptyLines = 2): string =>
    [
      ...requests.map((request, at) =>
        [
          `--${boundary}`,
          'Content-Type: application/http',
          'Content-Transfer-Encoding: binary',
          `Content-ID: ${at}`,
          '',
          request,
          'Accept: application/json',
          ...Array.from({ length: emptyLines }, () => ''),
        ].join(end),
      ),
      `--${boundary}--`,
      '',
    ].join(end);

  it.each([
    ['\r\n', 2],
    ['\r\n', 1],
    ['\n', 2],
    ['\n', 1],
  ])(
    'answers each part, with %j as line ends and %i empty lines behind a request',
    async (end, emptyLines) => {
      const body = multipart(
        ['GET Rows?$top=1 HTTP/1.1', 'GET Rows/$count?$filter=n ge 1 HTTP/1.1', 'GET Nowhere HTTP/1.1'],
        end,
        emptyLines,
      );
      const response = await send(body, type);
      expect(response.status).toBe(200);
      expect(response.headers.get('odata-version')).toBe('4.0');
      const [, answerBoundary] = /boundary=(.+)$/.exec(response.headers.get('content-type') ?? '') ?? [];
      const text = await response.text();
      const parts = text.split(`--${answerBoundary}`);
      expect(parts).toHaveLength(5);
      expect(parts.at(-1)).toBe('--\r\n');
      expect(parts[1]).toContain('Content-ID: 0\r\n');
      expect(parts[1]).toContain('HTTP/1.1 200 OK\r\n');
      expect(parts[1]).toContain('"value":[');
      expect(parts[2]?.endsWith('\r\n\r\n3\r\n')).toBe(true);
      expect(parts[3]).toContain('HTTP/1.1 404 ');
      expect(parts[3]).toContain('"unknown_path"');
    },
  );

  it('is refused if it is malformed or has a change set', async () => {
    const changes = multipart(['GET Rows HTTP/1.1']).replace(
      'application/http',
      'multipart/mixed; boundary=c',
    );
    const whole = multipart(['GET Rows HTTP/1.1']);
    for (const body of [
      changes,
      whole.replace(`--${boundary}--`, ''),
      'nothing',
      whole.replace('GET Rows HTTP/1.1', 'GET'),
    ]) {
      const response = await send(body, type);
      expect([body.slice(0, 30), response.status]).toEqual([body.slice(0, 30), 400]);
      expect(await response.json()).toMatchObject({ error: { code: 'bad_batch' } });
    }
    expect((await send(whole, { 'content-type': 'multipart/mixed' })).status).toBe(415);
  });
});
