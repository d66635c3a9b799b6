import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectionOptions } from '../../../../src/storage/clickhouse/address.js';
import { createRawRequests } from '../../../../src/storage/clickhouse/raw-requests.js';

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const opened: ReturnType<typeof createRawRequests>[] = [];

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const requests of opened.splice(0)) requests.close();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const open = (credentials = '') => {
  const { port } = server.address() as AddressInfo;
  const requests = createRawRequests({ url: `http://${credentials}127.0.0.1:${port}` }, 4);
  opened.push(requests);
  return requests;
};

const request = {
  body: 'SELECT 1 — ä',
  contentType: 'text/plain',
  search: { database: 'd', max_threads: 1, param_p: 'a&b=ü' },
  queryId: 'q/1',
};
const never = new AbortController().signal;

it('sends body, settings, values and query id unchanged, with the credentials of the URL', async () => {
  const received: unknown[] = [];
  answer = async (message, response) => {
    const { method, url, headers } = message;
    const { searchParams } = new URL(url ?? '', 'http://x');
    const text = String(await buffer(message));
    received.push([method, text, Object.fromEntries(searchParams), headers.authorization]);
    response.writeHead(500, { 'X-ClickHouse-Exception-Code': '62' }).end('Code: 62');
  };
  const signal = never;
  const { status, headers, body } = await open('us%40er:p%3Aw@').send({ ...request, signal }, never);
  expect([status, headers['x-clickhouse-exception-code'], String(await buffer(body))]).toEqual([
    500,
    '62',
    'Code: 62',
  ]);
  await (await open().send({ ...request, signal }, never)).body.resume();
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  const search = { query_id: 'q/1', database: 'd', max_threads: '1', param_p: 'a&b=ü' };
  expect(received).toEqual([
    ['POST', request.body, search, basic('us@er:p:w')],
    ['POST', request.body, search, basic('default:')],
  ]);
});

it.each(['caller', 'silence'] as const)(
  'aborts an unanswered request when its %s signal is aborted',
  async (which) => {
    let requests = 0;
    let closed = 0;
    answer = (_, response) => {
      requests += 1;
      response.once('close', () => {
        closed += 1;
      });
    };
    const [caller, silence] = [new AbortController(), new AbortController()];
    const sent = open().send({ ...request, signal: caller.signal }, silence.signal);
    await expect.poll(() => requests).toBe(1);
    (which === 'caller' ? caller : silence).abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    await expect.poll(() => closed).toBe(1);
  },
);

it('fails the body of a truncated response', async () => {
  answer = (_, response) => {
    response.writeHead(200);
    response.write('a part', () => response.destroy());
  };
  const { body } = await open().send({ ...request, signal: never }, never);
  await expect(buffer(body)).rejects.toThrow('aborted');
});

it('refuses unknown parameters of CLICKHOUSE_URL', () => {
  expect(() => connectionOptions('http://localhost:8123/?request_timeout=5')).toThrow(
    'CLICKHOUSE_URL: unknown parameter request_timeout; the only one is sslrootcert',
  );
});
