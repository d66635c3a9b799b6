import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { createSocket } from '../../../../../src/storage/kafka/kafkajs/sockets.js';

/** kafkajs passes no `ssl` for a connection without TLS, although its types require it. */
const plain = (port: number, onConnect: () => void) =>
  createSocket({ host: '127.0.0.1', port, onConnect } as Parameters<typeof createSocket>[0]);

it('a destroyed socket gets no more listeners, however often kafkajs unrefs it', async () => {
  const server = createServer((peer) => peer.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let connected = 0;
  const socket = plain(port, () => {
    connected += 1;
  });
  socket.resume();
  await once(socket, 'close');
  expect(connected).toBe(1);
  for (let count = 0; count < 20; count += 1) socket.unref();
  expect(socket.listenerCount('connect')).toBe(0);
  server.close();
});
