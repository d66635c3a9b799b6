import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** TCP proxy that cuts connections in the middle of an answer, or lets them go dead. */
export interface Cutter {
  /** URL of the service through the proxy. */
  readonly url: string;
  /** Breaks each connection after this many further bytes of answers. */
  cutAfter(bytes: number): void;
  /** Open connections stay open but deliver nothing, as if a firewall had dropped them. */
  goDead(): void;
  close(): Promise<void>;
}

/** @param target URL of a service, with its port. */
export const createCutter = async (
  target: string,
  cutAfterBytes = Number.POSITIVE_INFINITY,
): Promise<Cutter> => {
  const { hostname, port } = new URL(target);
  /** Bytes received from the service, by upstream socket. */
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
