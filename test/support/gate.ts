import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a service that a test can shut. */
export interface Gate {
  /** The address, reached through the gate. */
  readonly url: string;
  /** Breaks all connections and takes no new one. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

/** @param target Address of a service with its port. */
export const createGate = async (target: string): Promise<Gate> => {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let shut = false;
  const server = createServer((client) => {
    if (shut) return void client.destroy();
    const peer = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, peer],
      [peer, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    shut() {
      shut = true;
      breakAll();
    },
    open() {
      shut = false;
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
};
