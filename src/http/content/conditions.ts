import fresh from 'fresh';
import { AppError } from '../../lib/errors.js';
import type { Coding } from './coding.js';

/** Strong `ETag` of a fingerprint. Other codings have other bytes and therefore other tags. */
export const strongTag = (fingerprint: string, coding: Coding = 'identity'): string =>
  coding === 'identity' ? `"${fingerprint}"` : `"${fingerprint}-${coding}"`;

/** Weak `ETag`: the rows are the same, the bytes may differ. */
export const weakTag = (fingerprint: string): string => `W/"${fingerprint}"`;

/** Validators of an answer. */
interface Validators {
  /** With quotes. */
  readonly entityTag: string;
  readonly lastModified?: Date;
}

/** Conditional headers of a request. */
interface Conditions {
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince?: string | undefined;
}

/** Preconditions: the client wants this version of the answer only. */
interface Requirements {
  readonly ifMatch: string | undefined;
  readonly ifUnmodifiedSince: string | undefined;
}

const wholeSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000) * 1_000;

/**
 * True if the answer is not the one that the request requires (RFC 9110, 13.2.2). A given tag decides alone; otherwise the time decides.
 * Weak tags do not guarantee equal bytes.
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
  // An invalid time is ignored.
  return Date.parse(ifUnmodifiedSince) < wholeSeconds(lastModified);
};

/**
 * True if the client has the answer already (RFC 9110, 13.2.2). A given tag decides alone; otherwise the time decides. `Cache-Control` of
 * the request is ignored, since it does not affect whether the bytes differ.
 */
export const isUnchanged = (
  { ifNoneMatch, ifModifiedSince }: Conditions,
  { entityTag, lastModified }: Validators,
): boolean =>
  ifNoneMatch === undefined
    ? fresh({ 'if-modified-since': ifModifiedSince }, { 'last-modified': lastModified?.toUTCString() })
    : fresh({ 'if-none-match': ifNoneMatch.trim() }, { etag: entityTag });

/** @throws AppError 412 if the answer is not the one that the request requires. */
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
 * `If-Range`: a range is useful only if the client has the remainder of the same file, which weak tags cannot prove (RFC 9110, 13.1.5).
 * @param validators Without the time if files with the same time may have different bytes.
 */
export const rangeApplies = (ifRange: string | undefined, { entityTag, lastModified }: Validators): boolean =>
  ifRange === undefined ||
  (ifRange.trim() === entityTag && !entityTag.startsWith('W/')) ||
  ifRange.trim() === lastModified?.toUTCString();
