/** Fake providers of the attacked product: a fast one and a slow one. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProductSettings } from '../../bench/support/product.js';
import { fixture } from '../support/replay-upstream.js';

/** Milliseconds until the slow provider responds with 503; longer than a short attack. */
const slowMs = 15_000;

/** Path of a series of the fast provider, requested by the victim. */
export const quickSeries = '/providers/bankofcanada/series/FXUSDCAD';

/** Path of a series of the slow provider. */
export const slowSeries = (number: number): string => `/providers/norgesbank/series/EXR/B.X${number}.NOK.SP`;

export interface Upstreams {
  readonly settings: ProductSettings;
  close(): void;
}

export const startUpstreams = async (): Promise<Upstreams> => {
  const answer = fixture('providers/bankofcanada/observations-FXUSDCAD.json');
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/quick') === true)
      response.setHeader('Content-Type', 'application/json').end(answer);
    else setTimeout(() => response.writeHead(503).end(), slowMs).unref();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: { providerUrls: `bankofcanada=${base}/quick,norgesbank=${base}/slow` },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
};
