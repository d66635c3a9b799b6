/** Answers when a semaphore or a byte budget is exhausted. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../../src/http/app.js';
import { anyCaller, ok, type Route, route } from '../../../src/http/route.js';
import {
  createSemaphores,
  defaultSemaphoreLimits,
  type SemaphoreLimits,
} from '../../../src/http/semaphores.js';
import type { HttpServer } from '../../../src/http/server.js';
import { silentLog } from '../../../src/lib/log.js';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';
import { type Ask, createAsk } from '../../support/api.js';
import { basic } from '../../support/credentials.js';

const MiB = 1024 * 1024;
const accounts: Readonly<Record<string, number>> = { ada: 1, bob: 2, eve: 3, kim: 4, zoe: 5 };
const names = Object.keys(accounts);

let release: (() => void)[] = [];
const held = () => release.length;
const releaseAll = (): void => {
  for (const resolve of release) resolve();
};

const shared = {
  summary: 's',
  tags: ['t'],
  auth: 'required',
  responses: { 200: { description: 'd' } },
} as const;

const kinds = ['requests', 'queries', 'calls', 'files', 'events'] as const;
const routes: Route[] = [
  ...kinds.map((permit) =>
    route({
      ...shared,
      method: 'GET',
      path: `/${permit}`,
      permit,
      handler: async () => {
        await new Promise<void>((resolve) => release.push(resolve));
        return ok({ done: true });
      },
    }),
  ),
  route({
    ...shared,
    method: 'POST',
    path: '/bodies',
    body: z.object({ text: z.string() }),
    authorize: anyCaller,
    handler: ({ body }) => ok({ length: body.text.length }),
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/answers',
    // Larger than the kernel buffers of a client that does not read.
    handler: () => ok({ text: 'x'.repeat(16 * MiB) }),
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/late',
    handler: async ({ signal }) => {
      waiting += 1;
      await once(signal, 'abort');
      late += 1;
      return ok({ text: 'x'.repeat(16 * MiB) });
    },
  }),
];

/** Requests whose answer waits until the client has disconnected, and such answers. */
let waiting = 0;
let late = 0;

let app: HttpServer | undefined;
let port = 0;
const sockets: Socket[] = [];

const start = async (
  options: { limits?: Partial<SemaphoreLimits>; bodyBytes?: number; answerBytes?: number } = {},
): Promise<Ask> => {
  const { limits, ...budgets } = options;
  app = createApp({
    routes,
    rootRoutes: [],
    authenticate: async (key) => ({
      accountId: accounts[key] ?? 0,
      accountName: key,
      plan: 'unlimited',
      isOperator: false,
      teams: [],
      workspace: 'personal',
      key: { id: 1, readOnly: false, repositoryIds: null },
    }),
    log: silentLog,
    metrics: createMetrics(),
    version: '0',
    semaphores: createSemaphores({ ...defaultSemaphoreLimits, ...limits }),
    ...budgets,
  });
  port = await app.listen({ host: '127.0.0.1', port: 0 });
  return createAsk(`http://127.0.0.1:${port}/api`);
};

afterEach(async () => {
  releaseAll();
  for (const socket of sockets.splice(0)) socket.destroy();
  await app?.close(1_000);
  release = [];
});

/** Sends a raw request and keeps the connection open. */
const send = async (head: string, body = ''): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(head.replaceAll('\n', '\r\n') + body);
  return socket;
};

const refusal = async (ask: Ask, path: string, key: string) => {
  const answer = await ask('GET', path, { key });
  return [answer.status, answer.json().code, Number(answer.headers.get('retry-after')) > 0];
};

describe('semaphores', () => {
  it.each([
    ['queries', { queries: { maxRunning: 1, queueLength: 0 } }, 'no_query_slot'],
    // Each owner may use an eighth of this one.
    ['events', { events: 1 }, 'no_event_slot'],
  ] as const)('for %s: 503 when all permits are in use', async (kind, limits, code) => {
    const ask = await start({ limits });
    const first = ask('GET', `/${kind}`, { key: 'ada' });
    await expect.poll(held).toBe(1);
    expect(await refusal(ask, `/${kind}`, 'bob')).toEqual([503, code, true]);
    release[0]?.();
    expect((await first).status).toBe(200);
  });

  it.each([
    ['calls', { calls: 1 }, 4, 'no_call_slot'],
    ['files', { files: 1 }, 4, 'no_file_slot'],
    ['requests', { requests: 1 }, 64, 'no_request_slot'],
  ] as const)('for %s: 503 when the queue is full', async (kind, limits, queueLength, code) => {
    const ask = await start({ limits });
    const first = ask('GET', `/${kind}`, { key: 'ada' });
    await expect.poll(held).toBe(1);
    // The first requests are not authenticated yet, and half of the queue is for their address.
    const answers = Array.from({ length: queueLength + 1 }, (_, index) =>
      ask('GET', `/${kind}`, { key: names[index % names.length] ?? '' }),
    );
    const refused = await Promise.any(
      answers.map(async (each) => {
        const answer = await each;
        if (answer.status === 200) throw new Error('the request was not refused');
        return [answer.status, answer.json().code, Number(answer.headers.get('retry-after')) > 0];
      }),
    );
    expect(refused).toEqual([503, code, true]);
    const releasing = setInterval(releaseAll, 5);
    expect((await first).status).toBe(200);
    await Promise.all(answers);
    clearInterval(releasing);
  });
});

describe('byte budgets', () => {
  it('for bodies that are being received: 503 when other requests use all of it', async () => {
    const ask = await start({ bodyBytes: 4_000 });
    const held = 900;
    for (const name of names.slice(0, 4)) {
      const head = `POST /api/bodies HTTP/1.1\nHost: x\nAuthorization: ${basic(name)}\nContent-Type: application/json\nContent-Length: ${held + 1}\n\n`;
      await send(head, `{"text":"${'y'.repeat(held - 9)}`);
    }
    const body = { text: 'z'.repeat(800) };
    await expect
      .poll(async () => {
        const answer = await ask('POST', '/bodies', { key: 'zoe', body });
        return [answer.status, answer.json().code];
      })
      .toEqual([503, 'no_body_room']);
  });

  it('for answers that clients do not read: 503 when other answers use all of it', async () => {
    const ask = await start({ answerBytes: 65 * MiB });
    for (const name of names.slice(0, 4)) {
      const socket = await send(`GET /api/answers HTTP/1.1\nHost: x\nAuthorization: ${basic(name)}\n\n`);
      await once(socket, 'readable');
    }
    expect(await refusal(ask, '/answers', 'zoe')).toEqual([503, 'no_answer_room', true]);
    expect((await ask('GET', '/answers', { key: 'ada' })).json().code).toBe('answers_not_read');
  });

  it('for answers: none is used by those whose clients had left before', async () => {
    const ask = await start({ answerBytes: 65 * MiB });
    for (const [at, name] of names.entries()) {
      const socket = await send(`GET /api/late HTTP/1.1\nHost: x\nAuthorization: ${basic(name)}\n\n`);
      await expect.poll(() => waiting).toBe(at + 1);
      socket.destroy();
    }
    await expect.poll(() => late).toBe(names.length);
    for (const name of names) expect((await ask('GET', '/answers', { key: name })).status).toBe(200);
  });
});
