import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../../../src/http/app.js';
import { anyCaller, ok, type Route, route } from '../../../../src/http/route.js';
import type { HttpServer } from '../../../../src/http/server.js';
import { logOptions } from '../../../../src/lib/log.js';
import { createMetrics } from '../../../../src/lib/metrics/metrics.js';

const shared = {
  summary: 's',
  tags: ['t'],
  auth: 'none',
  responses: { 200: { description: 'd' } },
} as const;

let app: HttpServer;
let port: number;
let client: Socket;
let received = '';
let lines: string[] = [];
let started: string[] = [];
let running = 0;
let maxRunning = 0;
let open: () => void;
let gate: Promise<void>;

const run = async (name: string) => {
  started.push(name);
  running += 1;
  maxRunning = Math.max(maxRunning, running);
  await gate;
  running -= 1;
  return ok({ name });
};

const params = z.object({ name: z.string() });
const routes: Route[] = [
  route({
    ...shared,
    method: 'GET',
    path: '/things/:name',
    params,
    handler: (request) => run(request.params.name),
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/things/:name',
    params,
    body: z.object({ text: z.string() }),
    authorize: anyCaller,
    handler: (request) => run(request.params.name),
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/secret/:token',
    secretParams: ['token'],
    params: z.object({ token: z.string() }),
    handler: () => ok({}),
  }),
];

beforeEach(async () => {
  lines = [];
  started = [];
  received = '';
  running = 0;
  maxRunning = 0;
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  app = createApp({
    routes,
    rootRoutes: [],
    authenticate: () => Promise.reject(new Error('no request has a key')),
    log: pino(logOptions('test', 'debug'), sink),
    metrics: createMetrics(),
    version: '1',
    documents: false,
  });
  port = await app.listen({ host: '127.0.0.1', port: 0 });
  client = connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  client.on('data', (piece) => {
    received += String(piece);
  });
  await once(client, 'connect');
});
afterEach(async () => {
  client.destroy();
  open();
  await app.close(10_000);
});

const get = (path: string, headers = 'Host: a\r\n'): string => `GET ${path} HTTP/1.1\r\n${headers}\r\n`;
const post = (name: string, text: string): string => {
  const body = JSON.stringify({ text });
  return `POST /api/things/${name} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};
const answers = (): string[] => received.match(/HTTP\/1\.1 \d+/g) ?? [];

/** Sends a request that closes the connection, and returns the response. */
const answerTo = async (path: string, headers: string): Promise<string> => {
  client.write(get(path, `${headers}Connection: close\r\n`));
  await once(client, 'close');
  return received;
};

describe('pipelined requests', () => {
  it('run one at a time and are answered in order', async () => {
    client.write(get('/api/things/a') + post('b', 'x') + get('/api/things/c'));
    await expect.poll(() => started).toEqual(['a']);
    open();
    await expect.poll(answers).toHaveLength(3);
    expect(started).toEqual(['a', 'b', 'c']);
    expect(maxRunning).toBe(1);
    expect([...received.matchAll(/"name":"(.)"/g)].map(([, name]) => name)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['that are short', 'x'],
    ['whose bodies fill the socket buffers', 'x'.repeat(300_000)],
  ])('%s do not run after their client has disconnected', async (_, text) => {
    client.write(get('/api/things/a') + post('b', text) + post('c', text));
    await expect.poll(() => started).toEqual(['a']);
    // Everything is sent once the client's buffer is empty.
    if (client.writableLength > 0) await once(client, 'drain');
    client.destroy();
    await once(client, 'close');
    open();
    await app.close(10_000);
    expect(started).toEqual(['a']);
  });

  it('beyond the queue do not run, and the connection is closed', async () => {
    client.write(Array.from({ length: 100 }, (_, at) => get(`/api/things/${at}`)).join(''));
    await expect.poll(() => started).toEqual(['0']);
    open();
    await once(client, 'close');
    expect(started).toEqual(Array.from({ length: 33 }, (_, at) => String(at)));
    expect(received.match(/Connection: close/g)).toHaveLength(1);
  });

  it('are answered for as long as the connection lasts', async () => {
    open();
    for (let round = 1; round <= 30; round += 1) {
      client.write(get('/api/things/a') + get('/api/things/b'));
      await expect.poll(answers).toHaveLength(2 * round);
    }
  });
});

describe('a request', () => {
  it.each([
    ['two hosts', 'Host: a\r\nHost: b\r\n', 'repeated_host'],
    ['the same host twice', 'Host: a\r\nhOST: a\r\n', 'repeated_host'],
    ['a path as host', 'Host: a/b\r\n', 'invalid_host'],
    ['a user in its host', 'Host: user@a\r\n', 'invalid_host'],
    ['a list as host', 'Host: a b\r\n', 'invalid_host'],
  ])('with %s is refused', async (_, headers, code) => {
    const answer = await answerTo('/api/things/a', headers);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain(`"code":"${code}"`);
    expect(started).toEqual([]);
  });

  it.each(['Host: a.example:8080\r\n', 'Host: [::1]:8080\r\n', 'Host:\r\n'])(
    'with %j is answered',
    async (host) => {
      open();
      expect(await answerTo('/api/things/a', host)).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it.each(['/API/things/a', '/api/Things/a', '/api/THINGS/a'])('for %s finds no route', async (path) => {
    expect(await answerTo(path, 'Host: a\r\n')).toMatch(/^HTTP\/1\.1 404 /);
  });

  it.each([
    '/api/secret/topsecrettoken',
    '/api/secret/topsecret%74oken',
    '/api/links/topsecrettoken/n',
    '/API/LINKS/topsecrettoken',
    '/api/%6cinks/topsecrettoken',
    '/api/things/tab_0123456789topsecrettoken0123456789',
    '/api/things/WzE3OTAwMDAwMDAsMV0.topsecrettoken0123456789',
    '/api/things/a?tab_0123456789topsecrettoken0123456789',
    '/api/things/a?a%50I%4bey=topsecrettoken',
  ])('for %s leaves no secret in the log', async (path) => {
    open();
    await answerTo(path, 'Host: a\r\n');
    await app.close(10_000);
    const log = lines.join('');
    expect(log).toContain('"msg":"request"');
    expect(log).not.toContain('secrettoken');
  });
});
