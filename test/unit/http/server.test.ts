import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpServer, type HttpServer } from '../../../src/http/server.js';
import { silentLog } from '../../../src/lib/log.js';

const agents: Agent[] = [];
const servers: HttpServer[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  for (const server of servers.splice(0)) await server.close(0);
});

const hello: RequestListener = (_request, response) => response.end('here');

const start = async (handle: RequestListener = hello): Promise<{ server: HttpServer; port: number }> => {
  const server = createHttpServer(
    handle,
    { headersMs: 15_000, keepAliveMs: 65_000 },
    { most: 100, ownerOf: () => undefined },
    silentLog,
  );
  servers.push(server);
  return { server, port: await server.listen({ host: '127.0.0.1', port: 0 }) };
};

/** Client with a single keep-alive connection. */
const keepAliveClient = (port: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return async (): Promise<{ body: string; connection: string | undefined; reused: boolean }> => {
    const request = get({ host: '127.0.0.1', port, agent });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return {
      body: await text(answer),
      connection: answer.headers.connection,
      reused: request.reusedSocket,
    };
  };
};

describe('a stopping server', () => {
  it('answers a request on a keep-alive connection with Connection: close', async () => {
    const { server, port } = await start();
    const ask = keepAliveClient(port);
    expect(await ask()).toMatchObject({ body: 'here', connection: 'keep-alive' });
    const closed = server.close(600_000, 600_000);
    await sleep(20);
    expect(await ask()).toEqual({ body: 'here', connection: 'close', reused: true });
    // No other connection is open.
    await closed;
  });

  it('waits for keep-alive connections no longer than its limit', async () => {
    const { server, port } = await start();
    const ask = keepAliveClient(port);
    await ask();
    await server.close(600_000, 50);
    await expect(ask()).rejects.toThrow();
  });

  it('completes a response that has begun, and then closes its connection', async () => {
    let finish = (): void => undefined;
    const { server, port } = await start((_request, response) => {
      response.write('he');
      finish = () => response.end('re');
    });
    const request = get({ host: '127.0.0.1', port, agent: new Agent({ keepAlive: true }) });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const closed = server.close(600_000, 10);
    await sleep(50);
    finish();
    expect(await text(answer)).toBe('here');
    await closed;
  });

  it('answers all connections in the backlog of the kernel', async () => {
    const { server, port } = await start();
    const answers = Array.from({ length: 20 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      return text(socket);
    });
    // The kernel completes connections while this process is busy.
    const until = Date.now() + 100;
    while (Date.now() < until);
    const closed = server.close(600_000, 600_000);
    for (const answer of await Promise.all(answers))
      expect(answer).toMatch(/^HTTP\/1\.1 200 .*Connection: close.*here$/s);
    await closed;
  });

  it('answers them even if its process is paused just as it begins to stop', async () => {
    const { server, port } = await start();
    const answers = Array.from({ length: 20 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      return text(socket);
    });
    // The sockets connect in the next tick. The server accepts nothing before a turn of the event loop.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const closed = server.close(600_000, 600_000);
    const until = Date.now() + 600;
    while (Date.now() < until);
    for (const answer of await Promise.all(answers))
      expect(answer).toMatch(/^HTTP\/1\.1 200 .*Connection: close.*here$/s);
    await closed;
  });

  it('accepts no new connections', async () => {
    const { server, port } = await start();
    const first = keepAliveClient(port);
    await first();
    const closed = server.close(600_000, 600_000);
    // At first it still takes what waits in the kernel.
    const connectAgain = (): Promise<unknown> =>
      keepAliveClient(port)().then(
        ({ body }) => body,
        ({ code }) => code,
      );
    await expect.poll(connectAgain).toBe('ECONNREFUSED');
    await first();
    await closed;
  });
});
