import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** TCP proxy in front of a service, which a test can shut or freeze. */
export interface Gate {
  /** URL of the service through the gate. */
  readonly url: string;
  /** Breaks all connections and rejects new ones. */
  shut(): void;
  open(): void;
  /** Lets no byte through but keeps connections and accepts new ones, like a service stopped by SIGSTOP. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** @param target URL of a service, with its port. */
export const createGate = async (target: string): Promise<Gate> => {
  const { hostname, port } = new URL(target);
  /** Peer of each open socket. */
  const peers = new Map<Socket, Socket>();
  let shut = false;
  let frozen = false;
  const server = createServer((client) => {
    if (shut) return void client.destroy();
    const peer = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, peer],
      [peer, client],
    ] as const) {
      peers.set(one, other);
      one.on('error', () => undefined);
      one.once('close', () => {
        peers.delete(one);
        other.destroy();
      });
      if (!frozen) one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const breakAll = (): void => {
    for (const socket of peers.keys()) socket.destroy();
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
    freeze() {
      frozen = true;
      for (const [one, other] of peers) one.unpipe(other);
    },
    thaw() {
      frozen = false;
      for (const [one, other] of peers) one.pipe(other);
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
};
