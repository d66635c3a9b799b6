import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** TCP proxy that loses the answer of PostgreSQL to one statement, which PostgreSQL has executed. */
export interface LossyProxy {
  /** URL of the service through the proxy. */
  readonly url: string;
  /**
   * Waits for a connection that sends these texts, one after the other, and loses the answer to the last one. Then breaks all
   * connections and refuses new ones until `back`.
   */
  lose(...texts: string[]): Promise<void>;
  back(): void;
  close(): Promise<void>;
}

/** @param target URL of a service, with its port. */
export const createLossyProxy = async (target: string): Promise<LossyProxy> => {
  const { hostname, port } = new URL(target);
  const clients = new Set<Socket>();
  let wanted: { readonly texts: readonly string[]; readonly lost: () => void } | undefined;
  let isAway = false;
  const breakAll = (): void => {
    for (const client of clients) client.destroy();
  };
  const server = createServer((client) => {
    if (isAway) return void client.destroy();
    const upstream = connect(Number(port), hostname);
    clients.add(client);
    let seen = 0;
    client.on('data', (sent: Buffer) => {
      while (wanted !== undefined && seen < wanted.texts.length && sent.includes(wanted.texts[seen] ?? ''))
        seen += 1;
      upstream.write(sent);
    });
    upstream.on('data', (answer: Buffer) => {
      if (wanted === undefined || seen < wanted.texts.length) return void client.write(answer);
      isAway = true;
      wanted.lost();
      wanted = undefined;
      breakAll();
    });
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined);
      socket.once('close', () => {
        clients.delete(client);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    lose: (...texts) =>
      new Promise((lost) => {
        wanted = { texts, lost };
      }),
    back() {
      isAway = false;
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
};
