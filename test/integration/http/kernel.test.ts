import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../../src/http/app.js';
import { pathId, queryInteger } from '../../../src/http/parameters.js';
import { anyCaller, ok, type Route, route } from '../../../src/http/route.js';
import type { HttpServer } from '../../../src/http/server.js';
import { AppError } from '../../../src/lib/errors.js';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';
import { type Answer, createAsk } from '../../support/api.js';
import { callerWith } from '../../support/callers.js';
import { basic } from '../../support/credentials.js';

const caller = callerWith();

const aborted: string[] = [];
const slow: { release: (() => void) | undefined } = { release: undefined };

const releaseSlow = (): void => slow.release?.();

async function* chunks(how: string): AsyncGenerator<Buffer> {
  if (how === 'early') throw new AppError('unavailable', 'later', 'try later');
  yield Buffer.alloc(100, 'a');
  if (how === 'midway') throw new Error('secret-of-the-inside');
  if (how === 'endless') for (;;) yield Buffer.alloc(64 * 1024, 'b');
}

const shared = { summary: 's', tags: ['t'], responses: { 200: { description: 'd' } } } as const;
const routes: Route[] = [
  route({
    ...shared,
    method: 'GET',
    path: '/things/:id',
    auth: 'optional',
    params: z.object({ id: pathId('id') }),
    query: z.object({ $top: queryInteger('rows').optional(), $filter: z.string().optional() }),
    handler: ({ params, query, caller: who, url }) =>
      ok({ ...params, ...query, account: who?.accountName ?? null, url }),
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/things',
    auth: 'required',
    body: z.object({ name: z.string(), size: z.int().optional() }),
    authorize: anyCaller,
    handler: ({ body }) => ok(body),
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/streams/:how',
    auth: 'none',
    params: z.object({ how: z.string() }),
    handler: ({ params, signal }) => {
      signal.addEventListener('abort', () => aborted.push(params.how));
      return {
        status: 200,
        headers: { 'Content-Type': 'text/csv' },
        body: Readable.from(chunks(params.how), { objectMode: false }),
      };
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/fails',
    auth: 'none',
    handler: () => {
      throw new Error('secret-of-the-inside');
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/outage',
    auth: 'none',
    handler: () => {
      throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED' });
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/slow',
    auth: 'none',
    handler: async () => {
      await new Promise<void>((resolve) => {
        slow.release = resolve;
      });
      return ok({ done: true });
    },
  }),
  route({
    ...shared,
    method: 'PUT',
    path: '/raw',
    auth: 'required',
    body: 'stream',
    authorize: anyCaller,
    handler: async ({ raw }) => {
      let bytes = 0;
      for await (const chunk of raw) bytes += (chunk as Buffer).length;
      return ok({ bytes });
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/names/*rest',
    auth: 'none',
    notFoundShape: 'message',
    params: z.object({ rest: z.string() }),
    handler: ({ params }) => {
      if (params.rest === 'none') throw new AppError('not_found', 'no_name', 'there is no such name');
      return ok(params);
    },
  }),
];

const startApp = (
  lines: string[],
  options: { bodyTimeoutMs?: number; maxRefusalDelayMs?: number } = { maxRefusalDelayMs: 0 },
): HttpServer => {
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return createApp({
    routes,
    rootRoutes: [],
    authenticate: async (key) => {
      if (key === 'good') return caller;
      throw new AppError('unauthenticated', 'unknown_key', 'The API key is not valid.');
    },
    log: pino({ level: 'debug' }, sink),
    metrics: createMetrics(),
    version: '1.2.3',
    jsonMaxBytes: 1_000,
    ...options,
  });
};

const log: string[] = [];
let app: HttpServer;
let port: number;
let ask: (
  method: string,
  path: string,
  options?: Parameters<ReturnType<typeof createAsk>>[2],
) => Promise<Answer>;
beforeAll(async () => {
  app = startApp(log);
  port = await app.listen({ host: '127.0.0.1', port: 0 });
  ask = createAsk(`http://127.0.0.1:${port}`);
});
afterAll(async () => {
  await app.close(1_000);
});

/** Sends raw text. @returns the answer up to `until` or the end of the connection. */
const sendRaw = async (text: string, until?: RegExp): Promise<{ text: string; socket: Socket }> => {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  while (!socket.destroyed && !(until?.test(received) ?? false)) await sleep(5);
  return { text: received, socket };
};

describe('credentials', () => {
  it('accepts the key as user name, as Bearer token or as a query parameter', async () => {
    expect((await ask('GET', '/api/things/1', { key: 'good' })).json()).toMatchObject({ account: 'ada' });
    expect((await ask('GET', '/api/things/1?apiKey=good')).json()).toMatchObject({ account: 'ada' });
    expect((await ask('GET', '/api/things/1')).json()).toMatchObject({ account: null });
    const bearer = { headers: { Authorization: 'Bearer good' } };
    expect((await ask('GET', '/api/things/1', bearer)).json()).toMatchObject({ account: 'ada' });
    expect((await ask('GET', '/api/things/1?apiKey=good', bearer)).json()).toMatchObject({ account: 'ada' });
  });

  it('challenges pages with Bearer, which opens no dialog, and other clients with Basic and Bearer', async () => {
    const wrong = { Authorization: 'Bearer bad' };
    const challenge = async (more: Record<string, string>): Promise<string | null> =>
      (await ask('GET', '/api/things/1', { headers: { ...wrong, ...more } })).headers.get('www-authenticate');
    expect(await challenge({})).toBe('Basic realm="tabulary", charset="UTF-8", Bearer realm="tabulary"');
    expect(await challenge({ 'X-Requested-With': 'page' })).toBe('Bearer realm="tabulary"');
  });

  it.each([
    ['a wrong key', { key: 'bad' }, ''],
    ['a wrong key in the query', {}, '?apiKey=bad'],
    ['the key in the password field', { headers: { Authorization: `Basic ${btoa('x:good')}` } }, ''],
    ['the key as password of itself', { headers: { Authorization: `Basic ${btoa('good:good')}` } }, ''],
    ['an empty key', { headers: { Authorization: `Basic ${btoa(':')}` } }, ''],
    ['another scheme', { headers: { Authorization: 'Digest good' } }, ''],
    ['a wrong key as Bearer', { headers: { Authorization: 'Bearer bad' } }, ''],
    ['a key with padding', { headers: { Authorization: 'Bearer good=' } }, ''],
    ['two different keys, one as Bearer', { headers: { Authorization: 'Bearer good' } }, '?apiKey=bad'],
    ['two different keys', { key: 'good' }, '?apiKey=bad'],
  ])('refuses %s with 401 even where no key is needed', async (_name, options, query) => {
    const answer = await ask('GET', `/api/things/1${query}`, options);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('Basic');
    expect(answer.json()).toMatchObject({ error: expect.any(String), code: expect.any(String) });
  });

  it('delays the refusals of an address that fails often, and no valid request', async () => {
    const strict = startApp([], { maxRefusalDelayMs: 3_600_000 });
    const own = createAsk(`http://127.0.0.1:${await strict.listen({ host: '127.0.0.1', port: 0 })}`);
    let answered = 0;
    const refusals = Array.from({ length: 25 }, () =>
      own('GET', '/api/things/1', { key: 'bad' }).then(
        () => {
          answered += 1;
        },
        // The last ones would wait for minutes; the server closes before that.
        () => undefined,
      ),
    );
    await expect.poll(() => answered).toBeGreaterThanOrEqual(10);
    expect((await own('GET', '/api/things/1', { key: 'good' })).status).toBe(200);
    expect(answered).toBeLessThan(25);
    await strict.close(0);
    await Promise.all(refusals);
    expect(answered).toBeLessThan(25);
  });

  it('never writes a key into a log line', async () => {
    await ask('GET', '/api/things/1?apiKey=good&$top=3');
    await ask('GET', '/api/things/1?api%4Bey=sesame', { key: 'good' });
    expect((await ask('GET', '/api/things/1?$top=3&apiKey=good')).json()).toMatchObject({
      url: '/api/things/1?$top=3',
    });
    expect(log.join('')).not.toMatch(/apiKey|sesame|good/);
  });
});

describe('validation', () => {
  it.each([
    ['GET', '/api/things/1e9', 400],
    ['GET', '/api/things/-1', 400],
    ['GET', '/api/things/%00', 400],
    ['GET', '/api/things/1?$top=x', 400],
    ['GET', '/api/things/1?$top=1&$top=2', 400],
    ['GET', '/api/things/1?$filter=%00', 400],
    ['GET', '/api/things/1?_trace=1', 200],
    ['GET', '/api/nothing', 404],
    ['GET', '/nothing', 404],
    ['DELETE', '/api/things/1', 405],
    ['PATCH', '/api/things', 405],
  ])('%s %s -> %i', async (method, path, status) => {
    expect((await ask(method, path)).status).toBe(status);
  });

  it('suggests the closest query parameter for an unknown one', async () => {
    const answer = await ask('GET', "/api/things/1?$fliter=a eq 'b'");
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ details: { parameter: '$fliter', didYouMean: '$filter' } });
  });

  it.each([
    ['{', 'application/json', 400],
    ['[1]', 'application/json', 400],
    ['"text"', 'application/json', 400],
    ['{"name":1}', 'application/json', 400],
    ['{"name":"a\\u0000"}', 'application/json', 400],
    ['{"__proto__":{"a":1},"name":"x"}', 'application/json', 400],
    ['', 'application/json', 400],
    ['name=x', 'application/x-www-form-urlencoded', 415],
    ['{"name":"x"}', 'text/plain', 415],
    [`{"name":"${'x'.repeat(2_000)}"}`, 'application/json', 413],
    ['{"name":"x"}', 'application/json; charset=utf-8', 200],
    ['{"name":"x","more":true}', 'application/merge-patch+json', 200],
  ])('body %s as %s -> %i', async (body, type, status) => {
    const answer = await ask('POST', '/api/things', {
      key: 'good',
      body,
      headers: { 'Content-Type': type },
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('reports every invalid field at once', async () => {
    const answer = await ask('POST', '/api/things', { key: 'good', body: { size: 1.5 } });
    expect(answer.json<{ error: string }>().error).toBe('body: name is required; size must be an integer');
  });

  it('lists the allowed methods of a path', async () => {
    expect((await ask('DELETE', '/api/things/1')).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    const answer = await ask('OPTIONS', '/api/things/1');
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  it('passes the rest of a path to the handler with its slashes', async () => {
    expect((await ask('GET', '/api/names/a/b%20c/d')).json()).toEqual({ rest: 'a/b c/d' });
  });

  it('answers a 404 as {message} where the route requires it', async () => {
    const answer = await ask('GET', '/api/names/none');
    expect([answer.status, answer.json()]).toEqual([
      404,
      { message: 'there is no such name', code: 'no_name' },
    ]);
  });
});

describe('an answer', () => {
  it('to HEAD has no body and the Content-Length of GET', async () => {
    const head = await ask('HEAD', '/api/things/1');
    const get = await ask('GET', '/api/things/1');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });

  it('hides internal errors: 500 without details, 503 for an outage', async () => {
    const failed = await ask('GET', '/api/fails');
    expect(failed.status).toBe(500);
    expect(failed.text).not.toContain('secret');
    expect(failed.json()).toMatchObject({ requestId: failed.headers.get('x-request-id') });
    const outage = await ask('GET', '/api/outage');
    expect(outage.status).toBe(503);
    expect(outage.text).not.toContain('10.0.0.1');
    expect(outage.headers.get('retry-after')).not.toBeNull();
  });

  it('has the status of an error that occurs before the first byte of a stream', async () => {
    expect((await ask('GET', '/api/streams/early')).status).toBe(503);
  });

  it('aborts the connection when its stream fails midway', async () => {
    await expect(ask('GET', '/api/streams/midway')).rejects.toThrow();
    const { text } = await sendRaw('GET /api/streams/midway HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(text).toContain('aaa');
    expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(text).not.toContain('secret');
  });

  it('aborts the signal of its handler when the client disconnects', async () => {
    aborted.length = 0;
    const { socket } = await sendRaw('GET /api/streams/endless HTTP/1.1\r\nHost: x\r\n\r\n', /bbb/);
    expect(aborted).toEqual([]);
    socket.destroy();
    await expect.poll(() => aborted).toEqual(['endless']);
  });

  it('keeps a valid request id and replaces any other', async () => {
    const sane = await ask('GET', '/api/things/1', { headers: { 'X-Request-Id': 'abc-1.2_3' } });
    expect(sane.headers.get('x-request-id')).toBe('abc-1.2_3');
    const other = await ask('GET', '/api/things/1', { headers: { 'X-Request-Id': 'a b"c' } });
    expect(other.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('has security headers and can be read from any origin', async () => {
    const { headers } = await ask('GET', '/api/things/1', { headers: { Origin: 'https://example.org' } });
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toMatch(/Row-Count.*ETag.*Location/);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('allows reads, not writes, from any origin', async () => {
    const preflight = await ask('OPTIONS', '/api/things/1', {
      headers: { Origin: 'https://example.org', 'Access-Control-Request-Method': 'PUT' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, HEAD, POST',
    ]);
  });

  it('lets OData clients in pages of other sites send and read the OData headers', async () => {
    const Origin = 'https://example.org';
    const preflight = await ask('OPTIONS', '/api/things/1', {
      headers: { Origin, 'Access-Control-Request-Method': 'GET' },
    });
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(/, ?/);
    for (const name of ['Prefer', 'OData-MaxVersion', 'OData-Version']) expect(allowed).toContain(name);
    const { headers } = await ask('GET', '/api/things/1', { headers: { Origin } });
    const exposed = headers.get('access-control-expose-headers')?.split(/, ?/);
    for (const name of ['OData-Version', 'Preference-Applied']) expect(exposed).toContain(name);
  });

  it('with the documentation needs nothing from other hosts', async () => {
    const page = await ask('GET', '/docs');
    expect(page.text).not.toMatch(/https?:\/\//);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const file of page.text.match(/docs\/[\w.-]+/g) ?? [])
      expect((await ask('GET', `/${file}`)).status).toBe(200);
    expect((await ask('GET', '/docs/..%2fpackage.json')).status).toBe(404);
    expect((await ask('GET', '/openapi.json')).json()).toMatchObject({ openapi: '3.1.0' });
  });
});

describe('the connection', () => {
  it('answers malformed HTTP with 400 in JSON', async () => {
    const { text } = await sendRaw('GARBAGE\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 .*"code":"malformed_request"/s);
  });

  it('answers 408 to a request whose body does not arrive', async () => {
    const impatient = startApp([], { bodyTimeoutMs: 100 });
    const own = port;
    port = await impatient.listen({ host: '127.0.0.1', port: 0 });
    try {
      const { text } = await sendRaw(
        `POST /api/things HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic('good')}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
        /body_too_slow/,
      );
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
    } finally {
      port = own;
      await impatient.close(0);
    }
  });

  it('sends 100 Continue only when the body is read', async () => {
    const request = (key: string) =>
      `PUT /api/raw HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic(key)}\r\n` +
      'Expect: 100-continue\r\nContent-Length: 3\r\n\r\n';
    const refused = await sendRaw(request('bad'), /unknown_key/);
    expect(refused.text).toMatch(/^HTTP\/1\.1 401 /);
    refused.socket.destroy();
    const accepted = await sendRaw(request('good'), /100 Continue/);
    accepted.socket.write('abc');
    const [chunk] = await once(accepted.socket, 'data');
    expect(String(chunk)).toContain('{"bytes":3}');
    accepted.socket.destroy();
  });

  it('drains: completes running requests, refuses new ones, aborts those that take too long', async () => {
    const draining = startApp([]);
    const at = await draining.listen({ host: '127.0.0.1', port: 0 });
    const own = createAsk(`http://127.0.0.1:${at}`);
    slow.release = undefined;
    const running = own('GET', '/api/slow');
    await expect.poll(() => slow.release).toBeDefined();
    const closed = draining.close(3_600_000);
    const newRequest = () =>
      own('GET', '/api/things/1').then(
        ({ status }) => status,
        () => 'refused',
      );
    await expect.poll(newRequest).toBe('refused');
    releaseSlow();
    expect((await running).json()).toEqual({ done: true });
    // It waits for nothing else, not even for its timeout of an hour.
    await closed;

    const stuck = startApp([]);
    const stuckAt = await stuck.listen({ host: '127.0.0.1', port: 0 });
    slow.release = undefined;
    const cut = createAsk(`http://127.0.0.1:${stuckAt}`)('GET', '/api/slow');
    cut.catch(() => undefined);
    await expect.poll(() => slow.release).toBeDefined();
    // The pending work never ends.
    await stuck.close(100);
    await expect(cut).rejects.toThrow();
  });

  it('labels metrics by route template, not by path', async () => {
    const metrics = createMetrics();
    const measured = createApp({
      routes,
      rootRoutes: [],
      authenticate: async () => caller,
      log: pino({ level: 'silent' }),
      metrics,
      version: '0',
    });
    const at = await measured.listen({ host: '127.0.0.1', port: 0 });
    await createAsk(`http://127.0.0.1:${at}`)('GET', '/api/things/77?apiKey=hidden');
    await measured.close(1_000);
    const text = await metrics.registry.metrics();
    expect(text).toContain('route="/api/things/{id}"');
    expect(text).not.toMatch(/things\/77|hidden/);
  });
});
