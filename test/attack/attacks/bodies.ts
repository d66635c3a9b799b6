/** Bodies that are large, deep, packed or never end. */
import { gzipSync } from 'node:zlib';
import type { Attack } from '../attack.js';
import { type Ground, inLines, keepOpen } from '../ground.js';
import { formType } from '../stock.js';

const MiB = 1024 * 1024;
/** Once the largest body that was read. */
const maxBytes = 16_000_000;
const nowhere = '/datasets/999999/query';
const json = { 'content-type': 'application/json' };

const objects = (bytes: number): Buffer => Buffer.from(`{"a":[${'{},'.repeat(bytes / 3)}{}]}`);
const numbers = (bytes: number): Buffer => Buffer.from(`[${'1,'.repeat(bytes / 2)}1]`);
const nested = (levels: number): Buffer => Buffer.from('['.repeat(levels) + ']'.repeat(levels));

const post = (ground: Ground, body: Buffer, headers: Record<string, string> = json, key?: string) =>
  ground.hit(nowhere, { method: 'POST', headers, body, key });

const jsonBodies: Attack = {
  name: 'json-bodies',
  does: 'anonymous JSON bodies of 16 MiB',
  run: (ground, _stock, signal) => {
    const bodies = [objects(maxBytes), numbers(maxBytes)];
    return inLines(ground.pick(8, 4), signal, (line) => post(ground, bodies[line % 2] ?? numbers(MiB)));
  },
};

const packedBodies: Attack = {
  name: 'json-gzip',
  does: 'anonymous JSON bodies of 16 MiB in 16 kB of gzip',
  run: (ground, _stock, signal) => {
    const body = gzipSync(objects(maxBytes));
    return inLines(8, signal, () => post(ground, body, { ...json, 'content-encoding': 'gzip' }));
  },
};

const deepBodies: Attack = {
  name: 'json-deep',
  does: 'nested bodies of 1 MiB, of everybody and of an account',
  run: (ground, _stock, signal) => {
    const body = nested(MiB / 2 - 10);
    return inLines(8, signal, (line) =>
      post(ground, body, json, line % 2 === 0 ? undefined : ground.place.key),
    );
  },
};

const stalledBodies: Attack = {
  name: 'stalled-bodies',
  does: '320 bodies of 15 MiB that never end, half of them of an account',
  run: (ground, _stock, signal) => {
    const piece = Buffer.alloc(ground.pick(15 * MiB, MiB), '1,');
    let number = 0;
    return keepOpen(ground.pick(320, 80), signal, () => {
      number += 1;
      const socket = ground.dial();
      const account = Buffer.from(`${ground.place.key}:`).toString('base64');
      const authorization = number % 2 === 0 ? `Authorization: Basic ${account}\r\n` : '';
      const { pathname, host } = new URL(ground.place.baseUrl);
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
  does: '18 forms of 64 fields of 4 MiB in front of the file',
  prepare: (_ground, stock) => stock.large(),
  run: async (ground, stock, signal) => {
    const { id } = await stock.large();
    const boundary = formType.split('boundary=')[1] ?? '';
    const value = 'v'.repeat(ground.pick(4 * MiB, MiB));
    const field = (at: number): Buffer =>
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="f${at}"\r\n\r\n${value}\r\n`);
    const body = Buffer.concat(Array.from({ length: ground.pick(64, 8) }, (_, at) => field(at)));
    const options = { method: 'PUT', key: ground.place.key, headers: { 'content-type': formType }, body };
    await inLines(18, signal, () => ground.hit(`/datasets/${id}/data`, options));
  },
};

const silentSockets: Attack = {
  name: 'silent-sockets',
  does: '1,000 connections that send half a request line',
  run: (ground, _stock, signal) =>
    keepOpen(ground.pick(1_000, 200), signal, () => {
      const socket = ground.dial();
      socket.write('GET /api/data');
      return socket;
    }),
};

const slowHeads: Attack = {
  name: 'slow-heads',
  does: '3,000 connections that send 200 kB of headers and never end them',
  run: (ground, _stock, signal) => {
    const { pathname, host } = new URL(ground.place.baseUrl);
    const head = `GET ${pathname}/datasets HTTP/1.1\r\nHost: ${host}\r\nX-Slow: ${'x'.repeat(200_000)}`;
    return keepOpen(ground.pick(3_000, 400), signal, () => {
      const socket = ground.dial();
      socket.write(head);
      socket.resume();
      return socket;
    });
  },
};

const laterHeads: Attack = {
  name: 'later-heads',
  does: '1,000 connections that are answered once, and then send 200 kB of headers',
  run: (ground, _stock, signal) => {
    const { pathname, host } = new URL(ground.place.baseUrl);
    const line = `GET ${pathname}/nowhere HTTP/1.1\r\nHost: ${host}\r\n`;
    return keepOpen(ground.pick(1_000, 200), signal, () => {
      const socket = ground.dial();
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
