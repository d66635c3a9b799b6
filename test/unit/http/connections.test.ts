import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createOwnerOf, limitConnections } from '../../../src/http/connections.js';

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

const start = async (owner: string | undefined): Promise<number> => {
  server = createServer((_request, response) => response.end('here'));
  limitConnections(server, { most: 40, ownerOf: () => owner });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

/** Connections that say nothing, as slow clients hold them. */
const hold = async (port: number, count: number): Promise<Socket[]> => {
  const opened = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  sockets.push(...opened);
  for (const socket of opened) socket.on('error', () => undefined);
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
  await once(socket as Socket, 'close');
  return text;
};

describe('connections', () => {
  it('of one address are a quarter of all; a further one is answered 503, and closing makes room', async () => {
    const port = await start('one');
    const held = await hold(port, 10);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 503 .*too_many_connections/s);
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
