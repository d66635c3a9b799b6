import type { UpstreamReply, UpstreamRequest } from '../../providers/provider.js';

/** Headers by which an upstream tells whether a reply has changed (RFC 9110, section 8.8). */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A second change within the second of `Last-Modified` could not be told apart. RFC 9110, 8.8.2.2 names a minute. */
const settledMs = 60_000;

const isSettled = (lastModified: string, date: string | undefined): boolean =>
  Date.parse(lastModified) + settledMs <= Date.parse(date ?? '');

/** Validators of a reply; undefined if it has none. */
export const validatorsOf = (reply: UpstreamReply): Validators | undefined => {
  const etag = reply.header('etag');
  const lastModified = reply.header('last-modified');
  const settled = lastModified !== undefined && isSettled(lastModified, reply.header('date'));
  if (etag === undefined && !settled) return undefined;
  return { ...(etag === undefined ? {} : { etag }), ...(settled ? { lastModified } : {}) };
};

/** The request, answered 304 without a body if the reply with these validators is still the current one. */
export const ifChanged = (request: UpstreamRequest, { etag, lastModified }: Validators): UpstreamRequest => ({
  ...request,
  headers: {
    ...request.headers,
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  },
});

/** Returns true for a reply that says that nothing changed, to a request that asked for that. */
export const isUnchanged = ({ status }: Pick<UpstreamReply, 'status'>, { headers = {} }: UpstreamRequest) =>
  status === 304 && ('if-none-match' in headers || 'if-modified-since' in headers);
