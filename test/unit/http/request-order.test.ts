import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../../src/http/app.js';
import { pathId } from '../../../src/http/parameters.js';
import { ok, type Route, route } from '../../../src/http/route.js';
import type { HttpServer } from '../../../src/http/server.js';
import { AppError, forbidden } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';
import type { Caller } from '../../../src/model/permission.js';

const callerOf = (accountId: number): Caller => ({
  accountId,
  accountName: `a${accountId}`,
  plan: 'unlimited',
  isOperator: false,
  teams: [],
  workspace: 'personal',
  key: { id: accountId, readOnly: false, repositoryIds: null },
});

/** Keys `k1`, `k2`, … are those of accounts 1, 2, …; account 9 has no permission. */
const authenticate = async (key: string): Promise<Caller> => {
  const id = Number(/^k(\d)$/.exec(key)?.[1]);
  if (Number.isNaN(id)) throw new AppError('unauthenticated', 'unknown_key', 'The API key is not valid.');
  return callerOf(id);
};

const shared = { summary: 's', tags: ['t'], responses: { 200: { description: 'd' } } } as const;
const mayWrite = ({ caller }: { caller: Caller | undefined }): { level: string } => {
  if (caller === undefined) throw new AppError('unauthenticated', 'no_key', 'An API key is required.');
  if (caller.accountId === 9) throw forbidden('no_permission', 'You have no permission.');
  return { level: 'Write' };
};

const routes: Route[] = [
  route({
    ...shared,
    method: 'POST',
    path: '/things/:id',
    auth: 'optional',
    params: z.object({ id: pathId('id') }),
    body: z.looseObject({}),
    bodyOptional: true,
    authorize: mayWrite,
    handler: ({ body, access, owner }) => ok({ keys: Object.keys(body).length, ...access, owner }),
  }),
  route({
    ...shared,
    method: 'PUT',
    path: '/files/:id',
    auth: 'required',
    params: z.object({ id: pathId('id') }),
    body: 'stream',
    authorize: mayWrite,
    handler: async ({ raw }) => {
      let bytes = 0;
      for await (const chunk of raw) bytes += (chunk as Buffer).length;
      return ok({ bytes });
    },
  }),
];

const start = async (
  options: Partial<Parameters<typeof createApp>[0]> = {},
): Promise<{ app: HttpServer; port: number }> => {
  const app = createApp({
    routes,
    rootRoutes: [],
    authenticate,
    log: silentLog,
    metrics: createMetrics(),
    version: '1',
    documents: false,
    maxRefusalDelayMs: 0,
    ...options,
  });
  return { app, port: await app.listen({ host: '127.0.0.1', port: 0 }) };
};

let app: HttpServer;
let port: number;
beforeAll(async () => {
  ({ app, port } = await start());
});
afterAll(() => app.close(0));

const basic = (key: string): string => `Authorization: Basic ${btoa(`${key}:`)}\r\n`;

interface Connection {
  readonly socket: Socket;
  seen(): string;
  until(text: RegExp): Promise<string>;
}

/** Raw connection on which a test controls what is sent, and when. */
const open = async (to = port): Promise<Connection> => {
  const socket = connect(to, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return {
    socket,
    seen: () => received,
    async until(text) {
      while (!text.test(received)) {
        if (socket.destroyed) throw new Error(`closed before ${text}: ${received}`);
        await sleep(5);
      }
      return received;
    },
  };
};

const head = (method: string, path: string, lines: string): string =>
  `${method} /api${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${lines}\r\n`;

const post = (body: string | Buffer, headers: Record<string, string> = {}, key = 'k1', to = port) =>
  fetch(`http://127.0.0.1:${to}/api/things/1`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${key}:`)}`, 'Content-Type': 'application/json', ...headers },
    body,
  });

describe('a refusal before a byte of the body is read', () => {
  it.each([
    ['no key', 'POST', '/things/1', 'Content-Length: 900000\r\n', 401, 'no_key'],
    ['a wrong key', 'POST', '/things/1', `${basic('bad')}Content-Length: 900000\r\n`, 401, 'unknown_key'],
    ['no permission', 'POST', '/things/1', `${basic('k9')}Content-Length: 900000\r\n`, 403, 'no_permission'],
    [
      'no permission for a file',
      'PUT',
      '/files/1',
      `${basic('k9')}Content-Length: 9\r\n`,
      403,
      'no_permission',
    ],
    [
      'chunks of unknown length without a key',
      'POST',
      '/things/1',
      'Transfer-Encoding: chunked\r\n',
      401,
      'no_key',
    ],
    ['a wrong path', 'POST', '/things/x', `${basic('k1')}Content-Length: 9\r\n`, 400, 'invalid_request'],
    [
      'a declared size over the limit',
      'POST',
      '/things/1',
      `${basic('k1')}Content-Length: 1048577\r\n`,
      413,
      'body_too_large',
    ],
    [
      'a content coding',
      'POST',
      '/things/1',
      `${basic('k1')}Content-Encoding: gzip\r\nContent-Length: 9\r\n`,
      415,
      'content_encoding',
    ],
    [
      'a content coding of a file',
      'PUT',
      '/files/1',
      `${basic('k1')}Content-Encoding: gzip\r\nContent-Length: 9\r\n`,
      415,
      'content_encoding',
    ],
  ])('for %s', async (_name, method, path, lines, status, code) => {
    const { socket, until } = await open();
    socket.write(head(method, path, lines));
    const text = await until(/"code"/);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toContain(`"code":"${code}"`);
    expect(text).not.toContain('100 Continue');
    socket.destroy();
  });

  it('leaves the memory bounded, however much a client without a key sends', async () => {
    const { socket, until } = await open();
    socket.write(head('POST', '/things/1', 'Content-Length: 1000000000\r\n'));
    await until(/"no_key"/);
    const before = process.memoryUsage().rss;
    const piece = Buffer.alloc(1024 * 1024, '[');
    const end = Date.now() + 500;
    while (Date.now() < end && !socket.destroyed) {
      if (socket.writableLength < 4 * piece.length) socket.write(piece);
      await sleep(1);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    socket.destroy();
  });
});

describe('bounds of a JSON body', () => {
  const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

  it.each([
    ['64 levels', nested(64), 200],
    ['65 levels', nested(65), 400],
    ['half a million levels', nested(250_000), 400],
    ['unclosed brackets', '['.repeat(900_000), 400],
    ['20,000 values', `{"a":[${new Array(19_998).fill(1).join(',')}]}`, 200],
    ['20,001 values and more', `{"a":[${new Array(20_001).fill('{}').join(',')}]}`, 400],
    ['brackets and commas within a text', `{"a":"${'[{,'.repeat(100_000)}\\""}`, 200],
    ['a text that ends with an escape', '{"a":"\\\\","b":[]}', 200],
    ['a megabyte', `{"a":"${'x'.repeat(1024 * 1024 - 8)}"}`, 200],
  ])('%s', async (_name, body, status) => {
    expect((await post(body)).status).toBe(status);
  });

  it('apply to chunks of unknown length too', async () => {
    const { socket, until } = await open();
    socket.write(head('POST', '/things/1', `${basic('k1')}Transfer-Encoding: chunked\r\n`));
    const piece = `40000\r\n${' '.repeat(0x40000)}\r\n`;
    for (let sent = 0; sent < 5; sent += 1) socket.write(piece);
    expect(await until(/"code"/)).toContain('"code":"body_too_large"');
    socket.destroy();
  });

  it.each([
    ['Latin-1', Buffer.from('{"a":"Zo\xeb"}', 'latin1')],
    ['a character that is cut off', Buffer.from('{"a":"\xc3"}', 'latin1')],
    ['half of a surrogate pair', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
  ])('refuse %s, which is not UTF-8', async (_name, body) => {
    const answer = await post(body);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_encoding' }),
    ]);
  });

  it('accept characters that arrive in several pieces', async () => {
    const { socket, until } = await open();
    const body = Buffer.from('{"ä":"😀"}');
    socket.write(
      head('POST', '/things/1', `${basic('k1')}Connection: close\r\nContent-Length: ${body.length}\r\n`),
    );
    for (const byte of body) {
      socket.write(Buffer.from([byte]));
      await sleep(2);
    }
    expect(await until(/"keys"/)).toContain('"keys":1');
  });
});

describe('slow bodies', () => {
  it('are aborted when they stall', async () => {
    const { app: own, port: at } = await start({ bodyIdleMs: 100 });
    const { socket, until } = await open(at);
    socket.write(head('POST', '/things/1', `${basic('k1')}Content-Length: 100\r\n`));
    expect(await until(/"code"/)).toMatch(/^HTTP\/1\.1 408 .*body_too_slow/s);
    socket.destroy();
    await own.close(0);
  });

  it('use no more memory than the share of their owner, and other owners can still send', async () => {
    const { app: own, port: at } = await start({
      bodyBytes: 4_000_000,
    });
    const stalled = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const connection = await open(at);
        connection.socket.write(head('POST', '/things/1', `${basic('k1')}Content-Length: 600000\r\n`));
        connection.socket.write(`{"a":"${'x'.repeat(400_000)}`);
        return connection;
      }),
    );
    const refusedOf = (): number =>
      stalled.filter(({ seen }) => seen().includes('too_many_body_bytes')).length;
    await expect.poll(refusedOf).toBe(8);
    expect((await post('{"a":1}', {}, 'k2', at)).status).toBe(200);
    const refused = await post(`{"a":"${'x'.repeat(700_000)}"}`, {}, 'k1', at);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    for (const { socket } of stalled) socket.destroy();
    await expect
      .poll(async () => (await post(`{"a":"${'x'.repeat(700_000)}"}`, {}, 'k1', at)).status)
      .toBe(200);
    await own.close(0);
  });

  it('are refused with 503 when all memory for bodies is in use', async () => {
    const { app: own, port: at } = await start({ bodyBytes: 2_000_000 });
    const attempt = async () => {
      const senders = await Promise.all(
        ['k1', 'k2', 'k3', 'k4'].map(async (key) => {
          const { socket } = await open(at);
          socket.write(head('POST', '/things/1', `${basic(key)}Content-Length: 600000\r\n`));
          socket.write(`{"a":"${'x'.repeat(480_000)}`);
          return socket;
        }),
      );
      // Sent before all of their bytes have arrived, the request could make one of them be refused instead.
      await sleep(300);
      const answer = await post(`{"a":"${'x'.repeat(200_000)}"}`, {}, 'k5', at);
      for (const socket of senders) socket.destroy();
      return [answer.status, answer.headers.get('retry-after')];
    };
    await expect.poll(attempt).toEqual([503, '5']);
    await own.close(0);
  });
});

it('continues with the next request of a connection after the remainder of a refused body', async () => {
  const { socket, until } = await open();
  socket.write(head('POST', '/things/1', 'Content-Length: 3000000\r\n'));
  await until(/"no_key"/);
  socket.write(Buffer.alloc(3_000_000, 'x'));
  socket.write(head('POST', '/things/1', `${basic('k1')}Content-Length: 7\r\n`));
  socket.write('{"a":1}');
  expect(await until(/"keys"/)).toContain('"keys":1');
  socket.destroy();
});

it('requires an authorization for each route with a body', () => {
  expect(() =>
    route({
      ...shared,
      method: 'POST',
      path: '/x',
      auth: 'required',
      body: z.object({}),
      handler: () => ok({}),
    }),
  ).toThrow('POST /x takes a body and has no authorize');
});

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'GET /docs/%s is 404, although every object has that property',
  async (name) => {
    const { app: own, port: at } = await start({ documents: true });
    expect((await fetch(`http://127.0.0.1:${at}/docs/${name}`)).status).toBe(404);
    await own.close(0);
  },
);
