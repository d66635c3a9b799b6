/** Large, deep, compressed or endless bodies. */
import { gzipSync } from 'node:zlib';
import type { Attack } from '../attack.js';
import { type AttackClient, inLoops, keepOpen } from '../client.js';
import { formType } from '../datasets.js';

const MiB = 1024 * 1024;
/** Formerly the largest accepted body. */
const maxBytes = 16_000_000;
const nowhere = '/datasets/999999/query';
const json = { 'content-type': 'application/json' };

const objects = (bytes: number): Buffer => Buffer.from(`{"a":[${'{},'.repeat(bytes / 3)}{}]}`);
const numbers = (bytes: number): Buffer => Buffer.from(`[${'1,'.repeat(bytes / 2)}1]`);
const nested = (levels: number): Buffer => Buffer.from('['.repeat(levels) + ']'.repeat(levels));

const post = (client: AttackClient, body: Buffer, headers: Record<string, string> = json, key?: string) =>
  client.send(nowhere, { method: 'POST', headers, body, key });

const jsonBodies: Attack = {
  name: 'json-bodies',
  does: 'anonymous JSON bodies of 16 MiB',
  run: (client, _datasets, signal) => {
    const bodies = [objects(maxBytes), numbers(maxBytes)];
    return inLoops(client.pick(8, 4), signal, (loop) => post(client, bodies[loop % 2] ?? numbers(MiB)));
  },
};

const packedBodies: Attack = {
  name: 'json-gzip',
  does: 'anonymous JSON bodies of 16 MiB in 16 kB of gzip',
  run: (client, _datasets, signal) => {
    const body = gzipSync(objects(maxBytes));
    return inLoops(8, signal, () => post(client, body, { ...json, 'content-encoding': 'gzip' }));
  },
};

const deepBodies: Attack = {
  name: 'json-deep',
  does: 'nested bodies of 1 MiB, anonymous and from an account',
  run: (client, _datasets, signal) => {
    const body = nested(MiB / 2 - 10);
    return inLoops(8, signal, (loop) =>
      post(client, body, json, loop % 2 === 0 ? undefined : client.target.key),
    );
  },
};

const stalledBodies: Attack = {
  name: 'stalled-bodies',
  does: '320 bodies of 15 MiB that never end, half of them from an account',
  run: (client, _datasets, signal) => {
    const piece = Buffer.alloc(client.pick(15 * MiB, MiB), '1,');
    let number = 0;
    return keepOpen(client.pick(320, 80), signal, () => {
      number += 1;
      const socket = client.dial();
      const account = Buffer.from(`${client.target.key}:`).toString('base64');
      const authorization = number % 2 === 0 ? `Authorization: Basic ${account}\r\n` : '';
      const { pathname, host } = new URL(client.target.baseUrl);
      socket.write(
        `POST ${pathname}${nowhere} HTTP/1.1\r\nHost: ${host}\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${16 * MiB}\r\n\r\n[`,
      );
      socket.write(piece);
      socket.resume();
      return socket;
    });
  },
};

const formFields: Attack = {
  name: 'form-fields',
  does: '18 forms with 64 fields of 4 MiB before the file',
  prepare: (_client, datasets) => datasets.large(),
  run: async (client, datasets, signal) => {
    const { id } = await datasets.large();
    const boundary = formType.split('boundary=')[1] ?? '';
    const value = 'v'.repeat(client.pick(4 * MiB, MiB));
    const field = (at: number): Buffer =>
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="f${at}"\r\n\r\n${value}\r\n`);
    const body = Buffer.concat(Array.from({ length: client.pick(64, 8) }, (_, at) => field(at)));
    const options = { method: 'PUT', key: client.target.key, headers: { 'content-type': formType }, body };
    await inLoops(18, signal, () => client.send(`/datasets/${id}/data`, options));
  },
};

const silentSockets: Attack = {
  name: 'silent-sockets',
  does: '1,000 connections that send half a request line',
  run: (client, _datasets, signal) =>
    keepOpen(client.pick(1_000, 200), signal, () => {
      const socket = client.dial();
      socket.write('GET /api/data');
      return socket;
    }),
};

const slowHeads: Attack = {
  name: 'slow-heads',
  does: '3,000 connections that send 200 kB of headers and never end them',
  run: (client, _datasets, signal) => {
    const { pathname, host } = new URL(client.target.baseUrl);
    const head = `GET ${pathname}/datasets HTTP/1.1\r\nHost: ${host}\r\nX-Slow: ${'x'.repeat(200_000)}`;
    return keepOpen(client.pick(3_000, 400), signal, () => {
      const socket = client.dial();
      socket.write(head);
      socket.resume();
      return socket;
    });
  },
};

const laterHeads: Attack = {
  name: 'later-heads',
  does: '1,000 connections that get one response, then send 200 kB of headers',
  run: (client, _datasets, signal) => {
    const { pathname, host } = new URL(client.target.baseUrl);
    const line = `GET ${pathname}/nowhere HTTP/1.1\r\nHost: ${host}\r\n`;
    return keepOpen(client.pick(1_000, 200), signal, () => {
      const socket = client.dial();
      socket.write(`${line}\r\n`);
      socket.once('data', () => socket.write(`${line}X-Slow: ${'x'.repeat(200_000)}`));
      return socket;
    });
  },
};

export const bodies: readonly Attack[] = [
  jsonBodies,
  packedBodies,
  deepBodies,
  stalledBodies,
  formFields,
  silentSockets,
  slowHeads,
  laterHeads,
];
