import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type ClickHouse, createClickHouse } from '../../../../src/storage/clickhouse/client.js';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const listening = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

/**
 * Server that answers the first request of each connection and resets it at the second, as if it had closed the connection
 * while the request was in flight.
 */
const start = async (answersFirst = true): Promise<{ clickhouse: ClickHouse; requests: string[] }> => {
  const requests: string[] = [];
  const served = new WeakSet<object>();
  const server = createServer(async (request, response) => {
    const { socket } = request;
    const isFirst = !served.has(socket);
    served.add(socket);
    const text = String(await buffer(request)) || (request.url ?? '');
    requests.push(text.split(' ')[0] ?? '');
    if (isFirst === answersFirst) response.end('{"n":1}\n');
    else socket.resetAndDestroy();
  });
  const port = await listening(server);
  const clickhouse = createClickHouse({ url: `http://127.0.0.1:${port}`, database: 'd' });
  open.push(() => clickhouse.close());
  return { clickhouse, requests };
};

const query = { contentType: 'text/plain', search: {}, queryId: 'q' };
const unavailable = { code: 'store_unavailable' };

describe('a keep-alive connection that the server has closed', () => {
  it('is retried for reads', async () => {
    const { clickhouse, requests } = await start();
    for (let turn = 0; turn < 3; turn += 1) expect(await clickhouse.rows('SELECT 1')).toEqual([{ n: 1 }]);
    const { signal } = new AbortController();
    for (let turn = 0; turn < 2; turn += 1) {
      const { body, status } = await clickhouse.send({ ...query, body: 'SEND 1', signal });
      expect([status, String(await buffer(body))]).toEqual([200, '{"n":1}\n']);
    }
    expect(await clickhouse.ping()).toBe(true);
    // Every request but the first of its kind hit a reset connection and was retried; a ping always has a new connection.
    expect(requests).toEqual('SELECT SELECT SELECT SELECT SELECT SEND SEND SEND /ping'.split(' '));
  });

  it('fails writes, which are not sent twice', async () => {
    const { clickhouse, requests } = await start();
    await clickhouse.rows('SELECT 1');
    await expect(clickhouse.insert('INSERT INTO t', [Buffer.from('1\n')])).rejects.toMatchObject(unavailable);
    await clickhouse.rows('SELECT 1');
    await expect(clickhouse.command('DROP TABLE t')).rejects.toMatchObject(unavailable);
    expect(requests.filter((word) => word === 'DROP')).toEqual(['DROP']);
    expect(requests).toHaveLength(4);
  });

  it('fails requests whose client has disconnected', async () => {
    const { clickhouse, requests } = await start();
    await clickhouse.rows('SELECT 1');
    const gone = new AbortController();
    const waiting = clickhouse.rows('SELECT 1', { signal: gone.signal });
    gone.abort();
    await expect(waiting).rejects.toThrow();
    expect(requests.length).toBeLessThanOrEqual(2);
  });
});

it('a reset of a new connection is an outage at once', async () => {
  const { clickhouse, requests } = await start(false);
  await expect(clickhouse.rows('SELECT 1')).rejects.toMatchObject(unavailable);
  expect(requests).toEqual(['SELECT']);
});

it('a server that cannot be reached is an outage', async () => {
  const server = createServer((_request, response) => response.end('{"n":1}\n'));
  const behind = await listening(server);
  let connections = 0;
  // Forwards the first connection and resets all later ones.
  const front = createTcpServer((socket) => {
    connections += 1;
    if (connections > 1) return void socket.resetAndDestroy();
    const other = connect(behind, '127.0.0.1');
    socket.pipe(other).pipe(socket);
    socket.on('error', () => other.destroy());
    other.on('error', () => socket.resetAndDestroy());
    other.on('close', () => socket.resetAndDestroy());
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  open.push(() => front.close());
  const { port } = front.address() as AddressInfo;
  const clickhouse = createClickHouse({ url: `http://127.0.0.1:${port}`, database: 'd' });
  open.push(() => clickhouse.close());
  expect(await clickhouse.rows('SELECT 1')).toEqual([{ n: 1 }]);
  server.removeAllListeners('request');
  server.on('request', (request) => request.socket.destroy());
  await expect(clickhouse.rows('SELECT 1')).rejects.toMatchObject(unavailable);
  expect(connections).toBe(2);
});
