/** Local provider that has every series and answers with a delay. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fixture } from './replay-upstream.js';

export interface LocalProvider {
  /** Value of the setting that points the product to it. */
  readonly providerUrls: string;
  close(): void;
}

/** Path of one of its series, below the base URL of the API. */
export const localSeries = (id: string): string => `/providers/bankofcanada/series/${id}`;

const delayMs = 200;

export const startLocalProvider = async (): Promise<LocalProvider> => {
  const text = fixture('providers/bankofcanada/observations-FXUSDCAD.json');
  const server = createServer((request, response) => {
    const id = /observations\/([\w.-]+)\/json/.exec(request.url ?? '')?.[1] ?? '';
    response.setHeader('Content-Type', 'application/json');
    setTimeout(() => response.end(text.replaceAll('FXUSDCAD', id)), delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    providerUrls: `bankofcanada=http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
};
