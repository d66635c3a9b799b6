import type { IncomingMessage } from 'node:http';
import { addAbortSignal, type Readable } from 'node:stream';
import type { ByteShare } from './byte-budget.js';
import { HttpFault } from './status.js';

/** The protocol of a hop in `Via`: `1.0` or `HTTP/1.0`. */
const oldProtocol = /^(?:HTTP\/)?(?:0\.\d|1\.0)$/i;

const cameByOldProtocol = (hop: string): boolean => oldProtocol.test(hop.trim().split(/\s/, 1)[0] ?? '');

/**
 * True if the response needs a `Content-Length`: the request used HTTP/1.0, which has no chunks, at this server or, according to `Via`, at
 * a proxy in front. There a body without a length ends with the connection, and the system also closes the connections of a killed process,
 * so a partial body would look complete. A reset would show it, but not to the client of a proxy. Node does not use chunks for `HTTP/2.0`
 * in the request line either.
 */
export const needsLength = ({ httpVersionMajor, httpVersionMinor, headers }: IncomingMessage): boolean =>
  httpVersionMajor !== 1 || httpVersionMinor < 1 || (headers.via ?? '').split(',').some(cameByOldProtocol);

/**
 * Without `Upgrade`, which RFC 9110 requires: nginx passes that header on to HTTP/2 clients, which then refuse the whole response as
 * malformed.
 */
const refusal = (maxBytes: number): HttpFault =>
  new HttpFault(
    426,
    'http_version',
    `The request uses HTTP/1.0, in which a truncated response looks complete. Responses of unknown length are limited to ${maxBytes} bytes there, and this one is longer or has no end. Use HTTP/1.1 or later. A proxy must use HTTP/1.1 for this service: in nginx, proxy_http_version 1.1; docs/operating/proxies.md has tested configurations.`,
  );

interface ReadWholeOptions {
  readonly maxBytes: number;
  /** Counts the bytes in memory. */
  readonly unsent: ByteShare;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Reads a body to its end, for a response that needs a length.
 * @throws HttpFault 426 for a longer body, and the error of the body
 */
export const readWhole = async (
  body: Readable,
  { maxBytes, unsent, signal }: ReadWholeOptions,
): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of addAbortSignal(signal, body) as AsyncIterable<Buffer | string>) {
    const buffer = Buffer.from(piece as Buffer);
    bytes += buffer.length;
    if (bytes > maxBytes) throw refusal(maxBytes);
    unsent.add(buffer.length);
    pieces.push(buffer);
  }
  return Buffer.concat(pieces);
};

/** @throws HttpFault 426 for a stream of events, which has no length, over HTTP/1.0 */
export const requireFrames = (request: IncomingMessage, maxBytes: number): void => {
  if (needsLength(request)) throw refusal(maxBytes);
};
