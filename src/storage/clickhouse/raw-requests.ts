/** Sends queries of rows and returns the unread answers. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import type { ConnectionOptions } from './address.js';
import { createKeptConnections } from './kept-connections.js';

/** A complete HTTP request. */
export interface RawRequest {
  readonly body: string;
  readonly contentType: string;
  /** Settings and `param_…` values, as query parameters. */
  readonly search: Readonly<Record<string, string | number>>;
  readonly queryId: string;
  /** Cancels the request until the head of the answer has arrived; after that the body must be destroyed. */
  readonly signal: AbortSignal;
}

export interface RawAnswer {
  readonly status: number;
  /** Names are lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The response, unread. */
  readonly body: Readable;
}

interface RawRequests {
  /** @param silence Aborted when the server stops responding. */
  send(request: RawRequest, silence: AbortSignal): Promise<RawAnswer>;
  close(): void;
}

/** Milliseconds after which an idle connection is closed. A proxy or firewall may have dropped older ones. */
const idleMs = 2_000;

const textOf = (encoded: string): string => decodeURIComponent(encoded);

/**
 * Uses its own connections. The vendor's client wraps each query text in a stream, which costs more than the request itself; it is used for
 * all other statements.
 */
export const createRawRequests = (connection: ConnectionOptions, maxSockets: number): RawRequests => {
  const { protocol, hostname, port, username, password } = new URL(connection.url);
  const { agent, repeated } = createKeptConnections(connection, maxSockets, idleMs);
  const options = {
    agent,
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    method: 'POST',
    auth: `${textOf(username) || 'default'}:${textOf(password)}`,
  };
  const begin = protocol === 'https:' ? httpsRequest : httpRequest;

  const sendOnce = ({ body, contentType, search, queryId, signal }: RawRequest, silence: AbortSignal) =>
    new Promise<RawAnswer>((resolve, reject) => {
      const query = new URLSearchParams({ query_id: queryId });
      for (const [name, value] of Object.entries(search)) query.append(name, String(value));
      const request = begin({
        ...options,
        path: `/?${query}`,
        headers: {
          'Content-Type': contentType,
          'Content-Length': Buffer.byteLength(body),
          'User-Agent': 'tabulary',
        },
      });
      const signals = [signal, silence];
      const stop = (): void => {
        request.destroy(signals.find(({ aborted }) => aborted)?.reason as Error);
      };
      const settle = (): void => {
        for (const one of signals) one.removeEventListener('abort', stop);
      };
      for (const one of signals) one.addEventListener('abort', stop, { once: true });
      request.once('response', (answer: IncomingMessage) => {
        settle();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
      });
      // Not removed: a connection that breaks while the answer is read is also an error of the request.
      request.on('error', (error) => {
        settle();
        reject(error);
      });
      request.end(body);
    });

  return {
    send: (request, silence) => repeated(() => sendOnce(request, silence), request.signal),
    close: () => agent.destroy(),
  };
};
