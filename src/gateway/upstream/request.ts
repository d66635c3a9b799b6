import type { Provider, UpstreamRequest } from '../../providers/provider.js';
import { addressOf, type BaseUrls } from './address.js';
import type { WireRequest } from './transport.js';

const defaultMaxReplyBytes = 32 * 1024 * 1024;

interface Keyed {
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: UpstreamRequest['body'];
}

/** Adds the key where the provider's record says; see `carriesKey`. The connector never sees it, so it cannot repeat it. */
const withKey = (provider: Provider, key: string | undefined, plain: Keyed): Keyed => {
  if (provider.key === undefined || key === undefined) return plain;
  const { where } = provider.key;
  switch (where.in) {
    case 'query': {
      const url = new URL(plain.url);
      url.search += `${url.search === '' ? '?' : '&'}${encodeURIComponent(where.name)}=${encodeURIComponent(key)}`;
      return { ...plain, url };
    }
    case 'header':
      return { ...plain, headers: { ...plain.headers, [where.name]: key } };
    case 'body':
      return { ...plain, body: { ...plain.body, [where.name]: key } };
    default:
      return where.in satisfies never;
  }
};

/** True if the key is part of the request. Only the main address gets it, since the others are public; a key in the body needs a body. */
export const carriesKey = (
  { key: record }: Provider,
  { base, body }: UpstreamRequest,
  key: string | undefined,
): boolean =>
  key !== undefined &&
  record !== undefined &&
  base === undefined &&
  (record.where.in !== 'body' || (body !== undefined && !Array.isArray(body)));

export const toWireRequest = (
  provider: Provider,
  baseUrls: BaseUrls,
  request: UpstreamRequest,
  key: string | undefined,
): WireRequest => {
  const headers = { ...provider.headers, ...request.headers };
  const plain: Keyed = { url: addressOf(provider, baseUrls, request), headers, body: request.body };
  const keyed = carriesKey(provider, request, key) ? withKey(provider, key, plain) : plain;
  const post = keyed.body !== undefined;
  return {
    method: post ? 'POST' : 'GET',
    url: keyed.url,
    headers: post ? { 'content-type': 'application/json', ...keyed.headers } : keyed.headers,
    timeoutMs: request.timeoutMs ?? provider.timeoutMs,
    maxBytes: provider.maxReplyBytes ?? defaultMaxReplyBytes,
    // An address in the configuration of the service is trusted.
    publicOnly: provider.publicOnly === true && baseUrls[provider.slug] === undefined,
    body: post ? JSON.stringify(keyed.body) : undefined,
  };
};
