import type { Log } from '../../lib/log.js';
import { fetchPublic } from './public-fetch.js';

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
const redirectTarget = (from: URL, location: string | null): URL => {
  if (location === null || !URL.canParse(location, from.href))
    throw new WireError('redirect', 'redirect without a target');
  const to = new URL(location, from);
  const sameSite = site(to.hostname) === site(from.hostname) && to.port === from.port;
  const upgraded = to.protocol === from.protocol || (from.protocol === 'http:' && to.protocol === 'https:');
  if (!sameSite || !upgraded || to.username !== '' || to.password !== '') {
    throw new WireError('redirect', 'redirect to another site');
  }
  return to;
};

const decoderOf = (headers: Headers): InstanceType<typeof TextDecoder> => {
  const charset = /charset="?([\w.:-]+)/i.exec(headers.get('content-type') ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset);
  } catch {
    // Unknown charset: upstreams that send one use UTF-8 in practice.
    return new TextDecoder('utf-8');
  }
};

/** Counts bytes after decompression while they are streamed, so a decompression bomb stops at the limit. */
const readBody = async (response: Response, maxBytes: number): Promise<string> => {
  if (response.body === null) return '';
  const decoder = decoderOf(response.headers);
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body and closes the connection.
    if (bytes > maxBytes) throw new WireError('too_large', `more than ${maxBytes} bytes`);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join('');
};

const codeOf = (error: unknown): string => {
  const inner = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = (inner as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? code : 'failed';
};

const toWireError = (error: unknown): WireError => {
  if (error instanceof WireError) return error;
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError' || name === 'AbortError')
    return new WireError('timeout', 'no complete reply in time');
  // Only the code, since messages of the platform may quote addresses and header values.
  return new WireError('connection', `connection ${codeOf(error)}`);
};

const sendOnce = async (request: WireRequest, fetchOnce: typeof fetch): Promise<WireReply> => {
  const signal = AbortSignal.timeout(request.timeoutMs);
  let { url } = request;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const response = await fetchOnce(url, {
      method: request.method,
      headers: request.headers,
      redirect: 'manual',
      signal,
      body: request.body ?? null,
    });
    if (!isRedirect(response.status)) {
      return {
        status: response.status,
        headers: response.headers,
        body: await readBody(response, request.maxBytes),
      };
    }
    await response.body?.cancel();
    if (request.method === 'POST' && response.status < 307)
      throw new WireError('redirect', 'redirect of a POST');
    url = redirectTarget(url, response.headers.get('location'));
  }
  throw new WireError('redirect', 'too many redirects');
};

export interface TransportOptions {
  /** Sent as `User-Agent`; some statistics offices refuse requests without one. */
  readonly userAgent: string;
  readonly log: Log;
  readonly fetch?: typeof fetch;
}

export const createTransport =
  ({ userAgent, log, fetch: fetchOnce = fetch }: TransportOptions): Transport =>
  async (request) => {
    const startedAt = performance.now();
    try {
      return await sendOnce(
        { ...request, headers: { 'user-agent': userAgent, ...request.headers } },
        request.publicOnly === true ? fetchPublic : fetchOnce,
      );
    } catch (error) {
      const failure = toWireError(error);
      const ms = Math.round(performance.now() - startedAt);
      log.debug({ host: request.url.hostname, failure: failure.failure, ms }, 'upstream gave no reply');
      throw failure;
    }
  };
