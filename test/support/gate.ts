import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a service that a test can shut. */
export interface Gate {
  /** The address, reached through the gate. */
  readonly url: string;
  /** Breaks all connections and takes no new one. */
  shut(): void;
  open(): void;
  /** Lets no byte through and breaks nothing, like a service whose process was stopped; new connections are taken. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** @param target Address of a service with its port. */
export const createGate = async (target: string): Promise<Gate> => {
  const { hostname, port } = new URL(target);
  /** From which socket to which. */
  const lines = new Map<Socket, Socket>();
  let shut = false;
  let frozen = false;
  const server = createServer((client) => {
    if (shut) return void client.destroy();
    const peer = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, peer],
      [peer, client],
    ] as const) {
      lines.set(one, other);
      one.on('error', () => undefined);
      one.once('close', () => {
        lines.delete(one);
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
    for (const socket of lines.keys()) socket.destroy();
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
      for (const [one, other] of lines) one.unpipe(other);
    },
    thaw() {
      frozen = false;
      for (const [one, other] of lines) one.pipe(other);
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
};
