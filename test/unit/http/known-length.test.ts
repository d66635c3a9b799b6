import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/http/app.js';
import { ok, type Route, route } from '../../../src/http/route.js';
import type { HttpServer } from '../../../src/http/server.js';
import { silentLog } from '../../../src/lib/log.js';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';

const maxBytes = 200_000;
const bodyBytes = 1_000_000;

const ended: string[] = [];
let eventRequests = 0;

async function* rows(how: string): AsyncGenerator<Buffer | string> {
  try {
    yield 'a,b\r\n';
    yield Buffer.alloc(100_000, 'x');
    if (how === 'midway') throw new Error('the store is gone');
    if (how === 'long')
      for (let sent = 0; sent < 2 * maxBytes; sent += 50_000) yield Buffer.alloc(50_000, 'y');
    if (how === 'endless') for (;;) yield Buffer.alloc(50_000, 'z');
  } finally {
    ended.push(how);
  }
}

const shared = { summary: 's', tags: ['t'], auth: 'none', responses: { 200: { description: 'd' } } } as const;
const stream = (how: string): Route =>
  route({
    ...shared,
    method: 'GET',
    path: `/${how}`,
    permit: 'queries',
    handler: () => ({
      status: 200,
      headers: { 'Content-Type': 'text/csv' },
      body: Readable.from(rows(how), { objectMode: false }),
    }),
  });
const routes: Route[] = [
  ...['short', 'midway', 'long', 'endless'].map(stream),
  route({ ...shared, method: 'GET', path: '/json', handler: () => ok({ fine: true }) }),
  route({
    ...shared,
    method: 'GET',
    path: '/events',
    permit: 'events',
    handler: () => {
      eventRequests += 1;
      return {
        status: 200,
        headers: { 'Content-Type': 'text/event-stream' },
        body: Readable.from(['data: 1\n\n']),
      };
    },
  }),
];

let app: HttpServer;
let port: number;
beforeAll(async () => {
  app = createApp({
    routes,
    rootRoutes: [],
    authenticate: async () => {
      throw new Error('no request has a key');
    },
    log: silentLog,
    metrics: createMetrics(),
    version: 'test',
    maxMeasuredBytes: maxBytes,
    answerBytes: bodyBytes,
  });
  port = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close(0));

interface Raw {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends a request and reads until the server closes the connection. */
const talk = (requestLine: string, headers: readonly string[] = []): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`${[requestLine, 'Host: x', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`);
    });
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('error', reject);
    socket.once('close', () => {
      const text = Buffer.concat(pieces).toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      resolve({ status: Number(text.slice(9, 12)), head: text.slice(0, end), body: text.slice(end + 4) });
    });
  });

const lengthOf = ({ head }: Raw): number => Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? Number.NaN);

describe.each([
  ['an HTTP/1.0 request', 'HTTP/1.0', []],
  ['a request whose line names HTTP/2.0', 'HTTP/2.0', []],
  ['a request that a proxy received over HTTP/1.0', 'HTTP/1.1', ['Via: 1.0 old, 1.1 new']],
  [
    'a request that a proxy received over HTTP/1.0, with the protocol in Via',
    'HTTP/1.1',
    ['Via: 1.1 new', 'Via: HTTP/1.0 nginx'],
  ],
])('%s', (_name, version, headers) => {
  const ask = (path: string): Promise<Raw> => talk(`GET ${path} ${version}`, headers);

  it('gets a stream with its Content-Length', async () => {
    const answer = await ask('/api/short');
    expect(answer.status).toBe(200);
    expect(answer.head).not.toMatch(/transfer-encoding/i);
    expect(lengthOf(answer)).toBe(100_005);
    expect(answer.body).toHaveLength(100_005);
  });

  it('gets an error, and no rows, when the stream fails midway', async () => {
    const answer = await ask('/api/midway');
    expect(answer.status).toBe(500);
    expect(answer.body).toHaveLength(lengthOf(answer));
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'internal' });
  });

  it.each(['long', 'endless'])('is refused if the stream is %s, which is then destroyed', async (how) => {
    ended.length = 0;
    const answer = await ask(`/api/${how}`);
    expect(answer.status).toBe(426);
    expect(answer.head).not.toMatch(/^upgrade:/im);
    expect(answer.body).toHaveLength(lengthOf(answer));
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'http_version',
      error: expect.stringContaining('proxy_http_version 1.1'),
    });
    expect(ended).toEqual([how]);
  });

  it('is refused for events before the handler runs', async () => {
    const answer = await ask('/api/events');
    expect(answer.status).toBe(426);
    expect(eventRequests).toBe(0);
  });

  it.each([
    ['/api/json', 200],
    ['/api/none', 404],
  ])('gets %s with its Content-Length', async (path, status) => {
    const answer = await ask(path);
    expect(answer.status).toBe(status);
    expect(lengthOf(answer)).toBe(answer.body.length);
  });
});

it('buffers are released: many streams in a row are all answered', async () => {
  for (let times = 0; times < 8; times += 1) expect((await talk('GET /api/short HTTP/1.0')).status).toBe(200);
  for (let times = 0; times < 8; times += 1) expect((await talk('GET /api/long HTTP/1.0')).status).toBe(426);
  expect((await talk('GET /api/short HTTP/1.0')).status).toBe(200);
});

it('an HTTP/1.1 request gets a long stream in chunks', async () => {
  for (const headers of [[], ['Via: 1.1 one, 2.0 two (1.0 is no protocol here)']]) {
    const answer = await talk('GET /api/long HTTP/1.1', headers);
    expect(answer.status).toBe(200);
    expect(answer.head).toMatch(/^transfer-encoding: chunked$/im);
    expect(answer.body).toMatch(/\r\n0\r\n\r\n$/);
  }
});
