import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { PassThrough, pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Log } from '../../lib/log.js';
import { publicAgents } from './public-agents.js';

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly timeoutMs: number;
  /** Maximum bytes of the body after decompression. */
  readonly maxBytes: number;
  /** True: no connection to a private address is opened. */
  readonly publicOnly?: boolean;
}

export interface WireReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Reason of a missing reply, without address or key; `cause` has fixed words only. */
export type WireFailure = 'timeout' | 'connection' | 'too_large' | 'redirect';

export class WireError extends Error {
  constructor(
    readonly failure: WireFailure,
    message: string,
  ) {
    super(message);
    this.name = 'WireError';
  }
}

/** Sends one request to an upstream: limited in time and bytes, redirected only within the same site. */
export type Transport = (request: WireRequest) => Promise<WireReply>;

const maxRedirects = 3;

const site = (host: string): string => host.replace(/^www\./, '');

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** Target of a redirect that may be followed: on the same site, and never from https to http. */
const redirectTarget = (from: URL, location: string | undefined): URL => {
  if (location === undefined || !URL.canParse(location, from.href))
    throw new WireError('redirect', 'redirect without a target');
  const to = new URL(location, from);
  const sameSite = site(to.hostname) === site(from.hostname) && to.port === from.port;
  const upgraded = to.protocol === from.protocol || (from.protocol === 'http:' && to.protocol === 'https:');
  if (!sameSite || !upgraded || to.username !== '' || to.password !== '') {
    throw new WireError('redirect', 'redirect to another site');
  }
  return to;
};

/** Charset in the declaration at the start of XML. */
const declaredCharset = (start: Uint8Array): string | undefined =>
  /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)/.exec(
    Buffer.from(start.subarray(0, 200)).toString('latin1'),
  )?.[1];

/** @param start First bytes of the body. */
const textDecoderOf = ({ headers }: IncomingMessage, start: Uint8Array): InstanceType<typeof TextDecoder> => {
  const named = /charset="?([\w.:-]+)/i.exec(headers['content-type'] ?? '')?.[1];
  const charset = named ?? declaredCharset(start) ?? 'utf-8';
  try {
    return new TextDecoder(charset);
  } catch {
    // Unknown charset: upstreams that send one use UTF-8 in practice.
    return new TextDecoder('utf-8');
  }
};

/** Decompressors by content coding. Unlike those of `fetch`, they fail for a body that ends before its compressed data does. */
const decompressors: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const acceptEncoding = 'gzip, br';

/** A body without bytes has no coding, whatever its header says. */
const decompressorOf = ({ statusCode, headers }: IncomingMessage): Transform => {
  const isEmpty = statusCode === 204 || statusCode === 304 || headers['content-length'] === '0';
  const coding = isEmpty ? '' : (headers['content-encoding'] ?? '').trim().toLowerCase();
  // Some servers send a charset as the coding. A coding that was not requested makes a text that no connector can parse.
  return decompressors[coding]?.() ?? new PassThrough();
};

/** Counts bytes after decompression while they are streamed, so a decompression bomb stops at the limit. */
const readBody = async (response: IncomingMessage, maxBytes: number): Promise<string> => {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const parts: string[] = [];
  let bytes = 0;
  // An error of the response is thrown by the loop. Leaving the loop destroys both streams and closes the connection.
  const body = pipeline(response, decompressorOf(response), () => undefined);
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new WireError('too_large', `more than ${maxBytes} bytes`);
    decoder ??= textDecoderOf(response, chunk);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  parts.push(decoder?.decode() ?? '');
  return parts.join('');
};

const codeOf = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? code : 'failed';
};

const toWireError = (error: unknown, signal: AbortSignal): WireError => {
  if (error instanceof WireError) return error;
  if (signal.aborted) return new WireError('timeout', 'no complete reply in time');
  // Only the code, since messages of the platform may quote addresses and header values.
  return new WireError('connection', `connection ${codeOf(error)}`);
};

const open = (url: URL, request: WireRequest, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { method, headers, body, publicOnly } = request;
    const [send, agent] =
      url.protocol === 'https:' ? [httpsRequest, publicAgents.https] : [httpRequest, publicAgents.http];
    const options = { method, headers, signal, ...(publicOnly === true ? { agent } : {}) };
    send(url, options, resolve).on('error', reject).end(body);
  });

const headersOf = ({ rawHeaders }: IncomingMessage): Headers => {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  return headers;
};

const follow = async (request: WireRequest, signal: AbortSignal): Promise<WireReply> => {
  let { url } = request;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const response = await open(url, request, signal);
    const status = response.statusCode ?? 0;
    if (!isRedirect(status)) {
      return { status, headers: headersOf(response), body: await readBody(response, request.maxBytes) };
    }
    response.destroy();
    if (request.method === 'POST' && status < 307) throw new WireError('redirect', 'redirect of a POST');
    url = redirectTarget(url, response.headers.location);
  }
  throw new WireError('redirect', 'too many redirects');
};

export interface TransportOptions {
  /** Sent as `User-Agent`; some statistics offices refuse requests without one. */
  readonly userAgent: string;
  readonly log: Log;
}

export const createTransport = ({ userAgent, log }: TransportOptions): Transport => {
  const always = {
    accept: '*/*',
    'accept-language': '*',
    'accept-encoding': acceptEncoding,
    'user-agent': userAgent,
  };
  return async (request) => {
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(request.timeoutMs);
    try {
      return await follow({ ...request, headers: { ...always, ...request.headers } }, signal);
    } catch (error) {
      const failure = toWireError(error, signal);
      const ms = Math.round(performance.now() - startedAt);
      log.debug({ host: request.url.hostname, failure: failure.failure, ms }, 'upstream gave no reply');
      throw failure;
    }
  };
};
