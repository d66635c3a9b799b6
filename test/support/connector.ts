import { createPrepareRequest, createUpstreamHttp } from '../../src/gateway/upstream/client.js';
import { createTransport } from '../../src/gateway/upstream/transport.js';
import { silentLog } from '../../src/lib/log.js';
import type { Context, Provider } from '../../src/providers/provider.js';
import { type Exchange, type ReplayUpstream, startReplayUpstream } from './replay-upstream.js';

export interface OpenedConnector {
  readonly ctx: Context;
  readonly upstream: ReplayUpstream;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly exchanges: readonly Exchange[];
  /** API key that the gateway would send; none by default. */
  readonly apiKey?: string;
  /** @default '2026-03-15' */
  readonly today?: string;
  /** Timeout of a request. @default 5000 */
  readonly timeoutMs?: number;
}

const ignoredNames = (provider: Provider): { ignoredQuery: string[]; ignoredBody: string[] } => {
  const where = provider.key?.where;
  return {
    ignoredQuery: where?.in === 'query' ? [where.name] : [],
    ignoredBody: where?.in === 'body' ? [where.name] : [],
  };
};

/** Opens a connector on a replayed upstream through the gateway's own client, without limits, retries or cache. */
export const openConnector = async (provider: Provider, options: OpenOptions): Promise<OpenedConnector> => {
  const upstream = await startReplayUpstream(options.exchanges, ignoredNames(provider));
  const others = Object.keys(provider.otherBaseUrls ?? {}).map((name) => [
    `${provider.slug}.${name}`,
    upstream.otherBaseUrl(name),
  ]);
  const prepare = createPrepareRequest({
    provider: { ...provider, timeoutMs: options.timeoutMs ?? 5_000 },
    baseUrls: { [provider.slug]: upstream.baseUrl, ...Object.fromEntries(others) },
    key: options.apiKey,
    transport: createTransport({ userAgent: 'tabulary-test', log: silentLog }),
    now: () => Date.now(),
  });
  const http = createUpstreamHttp(provider, async (request) => {
    const { reply, error } = await prepare(request)(options.timeoutMs);
    if (error !== undefined || reply === undefined) throw error ?? new Error('neither reply nor error');
    return reply;
  });
  return {
    ctx: { http, key: options.apiKey === undefined ? 'none' : 'own', today: options.today ?? '2026-03-15' },
    upstream,
    close: () => upstream.close(),
  };
};
