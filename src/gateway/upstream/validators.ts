import type { UpstreamReply, UpstreamRequest } from '../../providers/provider.js';

/** Validators of a reply (RFC 9110, section 8.8). */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
  /** Time at which the whole reply was read, milliseconds since the epoch. */
  readonly readAtMs: number;
}

/** A second change within the second of `Last-Modified` could not be detected. RFC 9110, 8.8.2.2 uses a minute. */
const settledMs = 60_000;

/** Longest time between whole replies, in case an upstream wrongly reports "unchanged". */
const longestReuseMs = 30 * 86_400_000;

const isSettled = (lastModified: string, date: string | undefined): boolean =>
  Date.parse(lastModified) + settledMs <= Date.parse(date ?? '');

/** Validators of a reply; undefined if it has none. */
export const validatorsOf = (reply: UpstreamReply, readAtMs: number): Validators | undefined => {
  const etag = reply.header('etag');
  const lastModified = reply.header('last-modified');
  const settled = lastModified !== undefined && isSettled(lastModified, reply.header('date'));
  if (etag === undefined && !settled) return undefined;
  return { readAtMs, ...(etag === undefined ? {} : { etag }), ...(settled ? { lastModified } : {}) };
};

/** The request, answered 304 without a body if the reply with these validators is still the current one. */
export const ifChanged = (
  request: UpstreamRequest,
  { etag, lastModified, readAtMs }: Validators,
  nowMs: number,
): UpstreamRequest => {
  if (nowMs - readAtMs > longestReuseMs) return request;
  return {
    ...request,
    headers: {
      ...request.headers,
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
      ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
    },
  };
};

/** Returns true for a 304 to a conditional request. */
export const isUnchanged = ({ status }: Pick<UpstreamReply, 'status'>, { headers = {} }: UpstreamRequest) =>
  status === 304 && ('if-none-match' in headers || 'if-modified-since' in headers);
