import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ConnectionLimits,
  createOwnerOf,
  limitConnections,
} from '../../../../src/http/connections/limit.js';
import { createHttpServer } from '../../../../src/http/server.js';
import { silentLog } from '../../../../src/lib/log.js';

const { parsers } = createRequire(import.meta.url)('_http_common') as { parsers: { max: number } };

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

const start = async (
  owner: string | undefined,
  limits: Pick<ConnectionLimits, 'graceMs' | 'headBytes'> = { graceMs: 600_000 },
): Promise<number> => {
  server = createServer({ maxHeaderSize: 256 * 1024 }, (_request, response) => response.end('here'));
  limitConnections(server, { most: 40, ownerOf: () => owner, ...limits }, 256 * 1024);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

/** Opens idle connections, like slow clients. */
const hold = async (port: number, count: number): Promise<Socket[]> => {
  const opened = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  sockets.push(...opened);
  for (const socket of opened) {
    socket.on('error', () => undefined);
    // Unread data would hide the end of the connection.
    socket.resume();
  }
  await Promise.all(opened.map((socket) => once(socket, 'connect')));
  return opened;
};

const ask = async (port: number): Promise<string> => {
  const [socket] = await hold(port, 1);
  let text = '';
  socket?.on('data', (piece) => {
    text += String(piece);
  });
  socket?.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  // A refused connection may be reset after the response, for which `events.once` would reject.
  await new Promise((resolve) => socket?.once('close', resolve));
  return text;
};

describe('connections', () => {
  it('of one address are limited to a quarter of all; further ones get 503 until others close', async () => {
    const port = await start('one');
    const held = await hold(port, 10);
    const refused = await ask(port);
    expect(refused).toMatch(/^HTTP\/1\.1 503 .*too_many_connections/s);
    // Without a length, a truncated body would go unnoticed.
    const [head = '', body = ''] = refused.split('\r\n\r\n');
    expect(head).toContain(`Content-Length: ${body.length}`);
    for (const socket of held) socket.destroy();
    while (!(await ask(port)).startsWith('HTTP/1.1 200')) await sleep(20);
  });

  it('of a proxy may use the whole limit', async () => {
    const port = await start(undefined);
    await hold(port, 30);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 200 /);
    await hold(port, 10);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 503 /);
  });

  it('that have been idle longest are closed to admit new ones', async () => {
    const port = await start(undefined, { graceMs: 50 });
    const silent = await hold(port, 20);
    const slow = await hold(port, 20);
    for (const socket of slow) socket.write('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ');
    await sleep(200);
    const responses = await Promise.all(Array.from({ length: 12 }, () => ask(port)));
    expect(responses.filter((text) => text.startsWith('HTTP/1.1 200'))).toHaveLength(12);
    const areFirstClosed = (): boolean => {
      const open = silent.findIndex(({ closed }) => !closed);
      return open > 0 && silent.slice(open).every(({ closed }) => !closed);
    };
    await expect.poll(areFirstClosed).toBe(true);
    expect(slow.filter(({ closed }) => closed)).toEqual([]);
  });

  it('are kept while their request is handled, however long that takes', async () => {
    const answers: ServerResponse[] = [];
    server = createServer((_request, response) => answers.push(response));
    limitConnections(server, { most: 4, ownerOf: () => undefined, graceMs: 10 }, 65_536);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const working = Array.from({ length: 4 }, () => ask(port));
    await expect.poll(() => answers.length).toBe(4);
    // Longer than the grace period.
    await sleep(30);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 503 /);
    for (const answer of answers) answer.end('late');
    for (const text of await Promise.all(working)) expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('are closed when unfinished heads exceed their memory limit', async () => {
    const port = await start(undefined, { graceMs: 600_000, headBytes: 1_000_000 });
    const slow = await hold(port, 30);
    for (const socket of slow) socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(200_000)}`);
    const left = (): number => slow.filter(({ closed }) => !closed).length;
    await expect.poll(left).toBeLessThanOrEqual(5);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 200 /);
    expect(left()).toBeGreaterThan(0);
  });

  /** Sends text on a connection and waits for the response. */
  const answerTo = async (socket: Socket, text: string): Promise<string> => {
    const answer = once(socket, 'data');
    socket.write(text);
    return String((await answer)[0]);
  };

  it('are answered when their head arrives in pieces, with more idle connections than are read at a time', async () => {
    const port = await start(undefined, { graceMs: 600_000, headBytes: 1_000_000 });
    await hold(port, 30);
    const [slow] = (await hold(port, 1)) as [Socket];
    for (const piece of ['GET / HT', 'TP/1.1\r\nHo', 'st: a\r\n']) {
      slow.write(piece);
      await sleep(30);
    }
    expect(await answerTo(slow, '\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that were answered are closed when their next heads exceed the memory limit', async () => {
    const port = await start(undefined, { graceMs: 600_000, headBytes: 1_000_000 });
    const kept = await hold(port, 30);
    for (const socket of kept) await answerTo(socket, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    for (const socket of kept) socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(200_000)}`);
    const left = (): number => kept.filter(({ closed }) => !closed).length;
    await expect.poll(left).toBeLessThanOrEqual(5);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('are counted with a next head that arrived together with a request', async () => {
    const port = await start(undefined, { graceMs: 600_000, headBytes: 1_000_000 });
    const next = `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(200_000)}`;
    const kept = await hold(port, 30);
    for (const socket of kept) socket.write(`GET / HTTP/1.1\r\nHost: a\r\n\r\n${next}`);
    const left = (): number => kept.filter(({ closed }) => !closed).length;
    await expect.poll(left).toBeLessThanOrEqual(5);
  });

  it('are closed after a request with a long head, which their parser would keep in memory', async () => {
    const port = await start(undefined);
    const [long, short] = (await hold(port, 2)) as [Socket, Socket];
    const head = (bytes: number): string =>
      `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(bytes)}\r\n\r\n`;
    expect(await answerTo(short, head(8_000))).toContain('Connection: keep-alive');
    expect(await answerTo(long, head(200_000))).toContain('Connection: close');
  });

  it('leave at most 32 pooled parsers, since each keeps the last head that it read in pieces', async () => {
    const own = createHttpServer(
      (_request, response) => response.end('here'),
      { headersMs: 300, keepAliveMs: 600_000 },
      { most: 40, ownerOf: () => undefined },
      silentLog,
    );
    await own.listen({ host: '127.0.0.1', port: 0 });
    expect(parsers.max).toBeLessThanOrEqual(32);
    await own.close(0);
  });

  it.each([
    ['says nothing', ''],
    ['sends half a request line', 'GET / HT'],
    ['sends a header now and then', 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['begins a second request', 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n'],
  ])('are closed when a client %s for too long', async (_, text) => {
    const own = createHttpServer(
      (_request, response) => response.end('here'),
      { headersMs: 300, keepAliveMs: 600_000 },
      { most: 40, ownerOf: () => undefined },
      silentLog,
    );
    const [socket] = await hold(await own.listen({ host: '127.0.0.1', port: 0 }), 1);
    socket?.write(text);
    const trickle = setInterval(() => {
      if (text.endsWith('\r\n')) socket?.write('X: y\r\n');
    }, 50);
    await once(socket as Socket, 'close');
    clearInterval(trickle);
    await own.close(0);
  });

  it.each([
    ['127.0.0.1', undefined],
    ['::ffff:127.0.0.1', undefined],
    ['::1', undefined],
    ['10.1.2.3', undefined],
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
  ])('from %s belong to %s', (remoteAddress, owner) => {
    expect(createOwnerOf(['10.0.0.0/8'])({ remoteAddress } as Socket)).toBe(owner);
  });
});
