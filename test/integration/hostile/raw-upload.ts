/** Upload over a raw socket, which can be cut, slowed down and abandoned at any byte. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Client } from '../../support/datasets.js';
import { patienceMs } from '../../support/patience.js';

export const boundary = 'raw-81c2';

export const partHead = `--${boundary}\r\nContent-Disposition: form-data; name="data"; filename="d.csv"\r\n\r\n`;
export const formEnd = `\r\n--${boundary}--\r\n`;

/** Opens the connection and sends the request headers. The caller sends the body. */
export const openUpload = async (
  client: Client,
  datasetId: number,
  bodyBytes: number,
  query = '',
): Promise<Socket> => {
  const { hostname, port, pathname } = new URL(client.baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // The server may break the connection. `answerOf` returns what was received.
  socket.on('error', () => socket.destroy());
  socket.write(
    `PUT ${pathname}/datasets/${datasetId}/data?${query} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n` +
      `Authorization: Basic ${Buffer.from(`${client.key}:`).toString('base64')}\r\n` +
      `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${bodyBytes}\r\n\r\n`,
  );
  return socket;
};

/** Everything received until the server closes the connection. */
export const answerOf = async (socket: Socket): Promise<string> => {
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  const bound = setTimeout(() => socket.destroy(), patienceMs);
  if (!socket.closed) await once(socket, 'close');
  clearTimeout(bound);
  return Buffer.concat(parts).toString('utf8');
};
