/** A provider on this machine that knows every series and takes a moment for each. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fixture } from './replay-upstream.js';

export interface LocalProvider {
  /** The setting that leads the product to it. */
  readonly providerUrls: string;
  close(): void;
}

/** Path of a series of it, below the address of the API. */
export const localSeries = (id: string): string => `/providers/bankofcanada/series/${id}`;

/** Milliseconds until it answers. */
const answerMs = 200;

export const startLocalProvider = async (): Promise<LocalProvider> => {
  const text = fixture('providers/bankofcanada/observations-FXUSDCAD.json');
  const server = createServer((asked, answer) => {
    const id = /observations\/([\w.-]+)\/json/.exec(asked.url ?? '')?.[1] ?? '';
    answer.setHeader('Content-Type', 'application/json');
    setTimeout(() => answer.end(text.replaceAll('FXUSDCAD', id)), answerMs);
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
