import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a service that breaks in the middle of an answer, or goes dead. */
export interface Cutter {
  /** The service, reached through it. */
  readonly url: string;
  /** Breaks each connection once this many bytes of answers have come over it from now on. */
  cutAfter(bytes: number): void;
  /** Connections that are open now stay open and deliver nothing any more, as behind a firewall that has dropped them. */
  goDead(): void;
  close(): Promise<void>;
}

/** @param target Address of a service with its port. */
export const createCutter = async (
  target: string,
  cutAfterBytes = Number.POSITIVE_INFINITY,
): Promise<Cutter> => {
  const { hostname, port } = new URL(target);
  /** Bytes that came from the service, by its side of the connection. */
  const received = new Map<Socket, number>();
  const sockets = new Set<Socket>();
  let limit = cutAfterBytes;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    received.set(upstream, 0);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        received.delete(upstream);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      const bytes = (received.get(upstream) ?? 0) + chunk.length;
      received.set(upstream, bytes);
      if (bytes > limit) upstream.destroy();
      else if (!client.write(chunk)) upstream.pause();
    });
    client.on('drain', () => upstream.resume());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cutAfter(bytes) {
      limit = bytes;
      for (const socket of received.keys()) received.set(socket, 0);
    },
    goDead() {
      for (const upstream of received.keys()) upstream.pause();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
