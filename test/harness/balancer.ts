/**
 * TCP load balancer with round-robin over the API processes, like a Kubernetes service: a process that is not ready gets
 * no new connections but keeps its existing ones.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReady } from './deployment.js';

export interface Balancer {
  /** URL including `/api`. */
  readonly url: string;
  close(): Promise<void>;
}

const probeMs = 100;

const unavailable =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** Resolves to a connected socket, or undefined if the connection was refused. */
const dial = (port: number): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    socket.once('error', () => resolve(undefined));
    socket.once('connect', () => resolve(socket));
  });

/** @param apis URLs of the processes including `/api` */
export const createBalancer = async (apis: readonly string[]): Promise<Balancer> => {
  const ready = new Set<string>(apis);
  const sockets = new Set<Socket>();
  let turn = 0;

  const closing = new AbortController();
  /** Probes in sequence, so that a late response cannot overwrite a newer one. */
  const probe = async (api: string): Promise<void> => {
    while (!closing.signal.aborted) {
      if (await isReady(api.replace(/\/api$/, ''))) ready.add(api);
      else ready.delete(api);
      await sleep(probeMs);
    }
  };
  const probing = Promise.all(apis.map(probe));

  const track = (socket: Socket, end: () => void): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', end);
  };

  const join = async (client: Socket): Promise<void> => {
    // Until it is paired with a server.
    const leave = (): void => void client.destroy();
    track(client, leave);
    turn += 1;
    const inTurn = apis.map((_, at) => apis[(turn + at) % apis.length] ?? '');
    for (const api of inTurn.filter((each) => ready.has(each))) {
      const server = await dial(Number(new URL(api).port));
      if (server === undefined) continue;
      // Flushes data already received from the other side.
      track(server, () => client.destroySoon());
      client.on('error', () => server.destroySoon());
      client.pipe(server);
      server.pipe(client);
      return;
    }
    client.end(unavailable);
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => void join(client));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    async close() {
      closing.abort();
      await probing;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
