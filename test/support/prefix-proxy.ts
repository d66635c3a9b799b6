/** Reverse proxy that serves the product below a path, which it strips, next to another application of the host. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PrefixProxy {
  /** Public URL of the product: origin and path. */
  readonly url: string;
  /** Requests to the other application. */
  readonly elsewhere: { readonly path: string; readonly cookie: string | undefined }[];
  /** @param target Origin of the product. */
  serve(target: string): void;
  close(): Promise<void>;
}

/** @param path such as `/tables`. */
export const startPrefixProxy = async (path: string): Promise<PrefixProxy> => {
  const elsewhere: PrefixProxy['elsewhere'] = [];
  let target: URL | undefined;
  const server = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming;
    if (url === path) {
      outgoing.writeHead(301, { Location: `${path}/` }).end();
      return;
    }
    if (!url.startsWith(`${path}/`) || target === undefined) {
      elsewhere.push({ path: url, cookie: headers.cookie });
      outgoing.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>another application</title>');
      return;
    }
    const { hostname, port } = target;
    const forwarded = request(
      { hostname, port, method, path: url.slice(path.length), headers: { ...headers, host: target.host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
        answer.once('close', () => {
          if (!answer.complete) outgoing.destroy();
        });
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    outgoing.once('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    elsewhere,
    serve(origin) {
      target = new URL(origin);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
