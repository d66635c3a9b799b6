/** Failover of the nginx example between two API processes, of which one comes back and the other goes down. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { curl } from '../../support/curl.js';
import { testWith } from '../../support/optional-tools.js';
import { freePort, startExampleNginx } from '../../support/proxies.js';

const it = await testWith('nginx', 'curl', 'openssl');

const scope = createScope(silentLog);
afterAll(() => scope.close());

const listen = async (port: number, handle: RequestListener): Promise<Server> => {
  const server = createServer({ keepAlive: false }, handle);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  await scope.defer('server', () => {
    server.closeAllConnections();
    server.close();
  });
  return server;
};

const close = async (server: Server): Promise<void> => {
  server.close();
  await once(server, 'close');
};

it('nginx sends requests to a restarted process while its first request is still in flight', async () => {
  const ports = [await freePort(), await freePort()] as const;
  const nginx = await startExampleNginx({
    upstreams: [`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`],
  });
  await scope.defer('nginx', nginx.close);
  const ask = (path: string) => curl(`${nginx.url}${path}`);
  const other = await listen(ports[1], (_request, response) => response.end('other'));
  // Round-robin lets nginx notice that the first one is down.
  for (let at = 0; at < 4; at += 1) expect(String((await ask('/')).body)).toBe('other');

  const held: ServerResponse[] = [];
  let isOver = false;
  await listen(ports[0], (request, response) => {
    if (request.url === '/long' && !isOver) held.push(response);
    else response.end('back');
  });
  const running: ReturnType<typeof ask>[] = [];
  while (held.length === 0) {
    running.push(ask('/long'));
    await sleep(100);
  }
  await close(other);
  const answer = await ask('/');
  expect([answer.status, String(answer.body)]).toEqual([200, 'back']);
  isOver = true;
  for (const response of held) response.end('long');
  const statuses = (await Promise.all(running)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
});
