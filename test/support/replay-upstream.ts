import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request and its answer. Omitted properties match anything, unless documented otherwise. */
export interface Exchange {
  readonly method?: 'GET' | 'POST';
  /** Decoded path below the base URL, with its leading slash. */
  readonly path: string;
  /** Complete decoded query except `ignoredQuery`; a list for a repeated name. If omitted, there must be none. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** JSON body except `ignoredBody`, compared member by member. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Required headers, with lower-case names. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** Name of one of the connector's other base URLs. */
  readonly base?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Strings and buffers are sent unchanged, anything else as JSON. */
  readonly reply: unknown;
  /** Computes the answer to any query; replaces `reply`. */
  readonly respond?: (query: URLSearchParams) => Pick<Exchange, 'status' | 'headers' | 'reply'>;
  readonly delayMs?: number;
  /** Awaited before the delay and the answer. */
  readonly after?: Promise<unknown>;
  /** Number of uses; unlimited by default. Equal requests are answered in the order of the list. */
  readonly times?: number;
}

export interface Call {
  readonly method: string;
  /** Request target as received, query included. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ReplayOptions {
  /** Query parameters that are not compared, such as the API key. */
  readonly ignoredQuery?: readonly string[];
  /** Members of the JSON body that are not compared, such as the API key. */
  readonly ignoredBody?: readonly string[];
}

export interface ReplayUpstream {
  readonly baseUrl: string;
  /** URL for the entry of that name in `otherBaseUrls`. */
  otherBaseUrl(name: string): string;
  readonly calls: readonly Call[];
  /** Requests that matched no exchange; each was answered with 418. */
  readonly unmatched: readonly string[];
  /** Overrides all answers until `answerAll(undefined)`. */
  answerAll(answer: Pick<Exchange, 'status' | 'headers' | 'reply' | 'delayMs' | 'after'> | undefined): void;
  close(): Promise<void>;
}

/** @param path path below test/fixtures. */
export const fixture = (path: string): string =>
  readFileSync(new URL(`../fixtures/${path}`, import.meta.url), 'utf8');

const basePattern = /^\/~([^/]+)/;

const sorted = (pairs: Iterable<readonly [string, string]>): string =>
  JSON.stringify([...pairs].map(([name, value]) => `${name}=${value}`).sort());

const pairsOf = (query: NonNullable<Exchange['query']>): [string, string][] =>
  Object.entries(query).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((one): [string, string] => [name, one]),
  );

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

const decodePath = (pathname: string): string => pathname.split('/').map(decodeURIComponent).join('/');

const matches = (exchange: Exchange, call: Call, options: ReplayOptions): boolean => {
  const url = new URL(call.url, 'http://replay');
  const base = basePattern.exec(url.pathname)?.[1];
  const path = decodePath(base === undefined ? url.pathname : url.pathname.slice(base.length + 2));
  const query = [...url.searchParams].filter(([name]) => options.ignoredQuery?.includes(name) !== true);
  if (exchange.base !== base || exchange.path !== path) return false;
  if ((exchange.method ?? (exchange.body === undefined ? 'GET' : 'POST')) !== call.method) return false;
  if (exchange.respond === undefined && sorted(query) !== sorted(pairsOf(exchange.query ?? {}))) return false;
  if (Object.entries(exchange.requestHeaders ?? {}).some(([name, value]) => call.headers[name] !== value))
    return false;
  if (exchange.body === undefined) return true;
  const body = Object.entries(JSON.parse(call.body || '{}') as Record<string, unknown>);
  const compared = body.filter(([name]) => options.ignoredBody?.includes(name) !== true);
  return canonical(Object.fromEntries(compared)) === canonical(exchange.body);
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
};

const send = (response: ServerResponse, { status = 200, headers, reply }: Omit<Exchange, 'path'>): void => {
  const raw = typeof reply === 'string' || Buffer.isBuffer(reply);
  response.writeHead(status, {
    'content-type': raw ? 'text/plain; charset=utf-8' : 'application/json',
    ...headers,
  });
  response.end(raw ? reply : JSON.stringify(reply));
};

/** Starts a local HTTP server that plays back a list of exchanges. */
export const startReplayUpstream = async (
  exchanges: readonly Exchange[],
  options: ReplayOptions = {},
): Promise<ReplayUpstream> => {
  const calls: Call[] = [];
  const unmatched: string[] = [];
  const used = new Map<Exchange, number>();
  let forced: Omit<Exchange, 'path'> | undefined;

  const find = (call: Call): Omit<Exchange, 'path'> => {
    if (forced !== undefined) return forced;
    const isAvailable = (exchange: Exchange) =>
      (used.get(exchange) ?? 0) < (exchange.times ?? Number.POSITIVE_INFINITY);
    const found = exchanges.find((exchange) => isAvailable(exchange) && matches(exchange, call, options));
    if (found === undefined) {
      const request = `${call.method} ${call.url} ${call.body}`.trim();
      unmatched.push(request);
      return { status: 418, reply: `no recorded exchange for ${request}` };
    }
    used.set(found, (used.get(found) ?? 0) + 1);
    return found.respond === undefined
      ? found
      : found.respond(new URL(call.url, 'http://replay').searchParams);
  };

  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const call = { method, url, headers, body: await readBody(request) };
    calls.push(call);
    const answer = find(call);
    await answer.after;
    if (answer.delayMs !== undefined) await sleep(answer.delayMs, undefined, { ref: false });
    send(response, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    baseUrl,
    otherBaseUrl: (name) => `${baseUrl}/~${name}`,
    calls,
    unmatched,
    answerAll(answer) {
      forced = answer;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
