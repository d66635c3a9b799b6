import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClickHouse, createClickHouse } from '../../../../src/storage/clickhouse/client.js';

let server: Server;
let clickhouse: ClickHouse;
let requests = 0;

beforeAll(async () => {
  // Accepts every statement and never responds.
  server = createServer(() => {
    requests += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  clickhouse = createClickHouse({ url: `http://127.0.0.1:${port}`, database: 'd' });
});

afterAll(async () => {
  await clickhouse.close();
  server.closeAllConnections();
  server.close();
});

const signal = AbortSignal.abort(new Error('the client hung up'));
const statements: [string, () => Promise<unknown>][] = [
  ['rows', () => clickhouse.rows('SELECT 1', { signal })],
  ['command', () => clickhouse.command('OPTIMIZE TABLE t', { signal })],
  ['insert', () => clickhouse.insert('INSERT INTO t FORMAT CSV', [Buffer.from('1\n')], { signal })],
  [
    'send',
    () =>
      clickhouse.send({
        body: 'SELECT 1',
        contentType: 'text/plain',
        search: {},
        queryId: 'q',
        signal,
      }),
  ],
];

it.each(statements)('%s sends nothing if its signal is already aborted', async (_, run) => {
  await expect(run()).rejects.toThrow('the client hung up');
  expect(requests).toBe(0);
});
