import fresh from 'fresh';
import { AppError } from '../../lib/errors.js';
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

/** Conditions that name the answer a client wants and no other. */
interface Requirements {
  readonly ifMatch: string | undefined;
  readonly ifUnmodifiedSince: string | undefined;
}

const wholeSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000) * 1_000;

/**
 * True when the answer is not the one that the request requires (RFC 9110, 13.2.2): the tag alone decides when it was sent,
 * the time otherwise. Weak tags do not say that the bytes are the same.
 */
export const isOther = (
  { ifMatch, ifUnmodifiedSince }: Requirements,
  { entityTag, lastModified }: Validators,
): boolean => {
  if (ifMatch !== undefined) {
    const tags = ifMatch.split(',').map((tag) => tag.trim());
    return !tags.includes('*') && (entityTag.startsWith('W/') || !tags.includes(entityTag));
  }
  if (ifUnmodifiedSince === undefined || lastModified === undefined) return false;
  // A time that cannot be read is ignored.
  return Date.parse(ifUnmodifiedSince) < wholeSeconds(lastModified);
};

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

/** @throws AppError 412 for an answer that is not the one that the request requires. */
export const requireSame = (header: (name: string) => string | undefined, validators: Validators): void => {
  const required = { ifMatch: header('if-match'), ifUnmodifiedSince: header('if-unmodified-since') };
  if (isOther(required, validators))
    throw new AppError(
      'precondition',
      'other_file',
      'The data is not what If-Match names, or was changed after If-Unmodified-Since; read it again from its start.',
    );
};

/**
 * `If-Range`: a range is only worth something of the very file the client has the rest of, which weak tags do not tell
 * (RFC 9110, 13.1.5).
 * @param validators Without the time where files of one time may have other bytes.
 */
export const rangeApplies = (ifRange: string | undefined, { entityTag, lastModified }: Validators): boolean =>
  ifRange === undefined ||
  (ifRange.trim() === entityTag && !entityTag.startsWith('W/')) ||
  ifRange.trim() === lastModified?.toUTCString();
