import fresh from 'fresh';
import type { Coding } from './coding.js';

/** Strong `ETag` of what a fingerprint stands for. Other codings are other bytes, so they have other tags. */
export const strongTag = (fingerprint: string, coding: Coding = 'identity'): string =>
  coding === 'identity' ? `"${fingerprint}"` : `"${fingerprint}-${coding}"`;

/** Weak `ETag`: of the same rows, in bytes that may differ. */
export const weakTag = (fingerprint: string): string => `W/"${fingerprint}"`;

/** Validators of an answer. */
interface Validators {
  /** In quotes. */
  readonly entityTag: string;
  readonly lastModified?: Date;
}

/** Conditions of a request, as its headers have them. */
interface Conditions {
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince?: string | undefined;
}

/**
 * True when the client has the answer already (RFC 9110, 13.2.2): the tag alone decides when it was sent, the time
 * otherwise. `Cache-Control` of the request is left out: whether the bytes differ does not depend on it.
 */
export const isUnchanged = (
  { ifNoneMatch, ifModifiedSince }: Conditions,
  { entityTag, lastModified }: Validators,
): boolean =>
  ifNoneMatch === undefined
    ? fresh({ 'if-modified-since': ifModifiedSince }, { 'last-modified': lastModified?.toUTCString() })
    : fresh({ 'if-none-match': ifNoneMatch.trim() }, { etag: entityTag });

/**
 * `If-Range`: a range is only worth something of the very file the client has the rest of, which weak tags do not tell
 * (RFC 9110, 13.1.5).
 * @param validators Without the time where files of one time may have other bytes.
 */
export const rangeApplies = (ifRange: string | undefined, { entityTag, lastModified }: Validators): boolean =>
  ifRange === undefined ||
  (ifRange.trim() === entityTag && !entityTag.startsWith('W/')) ||
  ifRange.trim() === lastModified?.toUTCString();
