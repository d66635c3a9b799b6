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

/** Connections that say nothing, as slow clients hold them. */
const hold = async (port: number, count: number): Promise<Socket[]> => {
  const opened = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  sockets.push(...opened);
  for (const socket of opened) {
    socket.on('error', () => undefined);
    // Behind an answer that nobody reads, the end of a connection is not seen.
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
  // A refused connection may be reset after the answer: not `once`, which takes that for a failure.
  await new Promise((resolve) => socket?.once('close', resolve));
  return text;
};

describe('connections', () => {
  it('of one address are a quarter of all; a further one is answered 503, and closing makes room', async () => {
    const port = await start('one');
    const held = await hold(port, 10);
    const refused = await ask(port);
    expect(refused).toMatch(/^HTTP\/1\.1 503 .*too_many_connections/s);
    // A body without a length could be cut unseen.
    const [head = '', body = ''] = refused.split('\r\n\r\n');
    expect(head).toContain(`Content-Length: ${body.length}`);
    for (const socket of held) socket.destroy();
    while (!(await ask(port)).startsWith('HTTP/1.1 200')) await sleep(20);
  });

  it('of a proxy are as many as there are', async () => {
    const port = await start(undefined);
    await hold(port, 30);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 200 /);
    await hold(port, 10);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 503 /);
  });

  it('that have been idle for long are closed for new ones, the oldest first', async () => {
    const port = await start(undefined, { graceMs: 50 });
    const silent = await hold(port, 20);
    const slow = await hold(port, 20);
    for (const socket of slow) socket.write('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ');
    await sleep(200);
    const asked = await Promise.all(Array.from({ length: 12 }, () => ask(port)));
    expect(asked.filter((text) => text.startsWith('HTTP/1.1 200'))).toHaveLength(12);
    await expect.poll(() => silent.filter(({ closed }) => closed).length).toBeGreaterThan(0);
    expect(slow.filter(({ closed }) => closed)).toEqual([]);
  });

  it('are kept while they are answered, however long that takes', async () => {
    const answers: ServerResponse[] = [];
    server = createServer((_request, response) => answers.push(response));
    limitConnections(server, { most: 4, ownerOf: () => undefined, graceMs: 10 }, 65_536);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const working = Array.from({ length: 4 }, () => ask(port));
    await expect.poll(() => answers.length).toBe(4);
    // Longer than who waits is left alone.
    await sleep(30);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 503 /);
    for (const answer of answers) answer.end('late');
    for (const text of await Promise.all(working)) expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('keep no more bytes of unfinished heads than there may be', async () => {
    const port = await start(undefined, { graceMs: 600_000, headBytes: 1_000_000 });
    const slow = await hold(port, 30);
    for (const socket of slow) socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(200_000)}`);
    const left = (): number => slow.filter(({ closed }) => !closed).length;
    await expect.poll(left).toBeLessThanOrEqual(5);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 200 /);
    expect(left()).toBeGreaterThan(0);
  });

  /** Sends to a connection, and waits for the answer to it. */
  const answerTo = async (socket: Socket, text: string): Promise<string> => {
    const answer = once(socket, 'data');
    socket.write(text);
    return String((await answer)[0]);
  };

  it('are answered piece by piece while more than are read at a time are idle', async () => {
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

  it('that were answered keep no more bytes of next heads than there may be', async () => {
    const port = await start(undefined, { graceMs: 600_000, headBytes: 1_000_000 });
    const kept = await hold(port, 30);
    for (const socket of kept) await answerTo(socket, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    for (const socket of kept) socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(200_000)}`);
    const left = (): number => kept.filter(({ closed }) => !closed).length;
    await expect.poll(left).toBeLessThanOrEqual(5);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('whose next head came after a request in one piece are counted with it', async () => {
    const port = await start(undefined, { graceMs: 600_000, headBytes: 1_000_000 });
    const next = `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(200_000)}`;
    const kept = await hold(port, 30);
    for (const socket of kept) socket.write(`GET / HTTP/1.1\r\nHost: a\r\n\r\n${next}`);
    const left = (): number => kept.filter(({ closed }) => !closed).length;
    await expect.poll(left).toBeLessThanOrEqual(5);
  });

  it('end with the answer to a long head, which their parser would keep', async () => {
    const port = await start(undefined);
    const [long, short] = (await hold(port, 2)) as [Socket, Socket];
    const head = (bytes: number): string =>
      `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(bytes)}\r\n\r\n`;
    expect(await answerTo(short, head(8_000))).toContain('Connection: keep-alive');
    expect(await answerTo(long, head(200_000))).toContain('Connection: close');
  });

  it('leave few parsers behind: each keeps the last head that it read in pieces', async () => {
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
  ])('are ended when a client %s for too long', async (_, text) => {
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
  ])('of %s belong to %s', (remoteAddress, owner) => {
    expect(createOwnerOf(['10.0.0.0/8'])({ remoteAddress } as Socket)).toBe(owner);
  });
});
