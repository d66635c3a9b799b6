import { createHash } from 'node:crypto';

/** Strong `ETag` of an answer that follows from the given facts alone. */
export const entityTag = (facts: readonly unknown[]): string =>
  `"${createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 27)}"`;

/** Tag of the same answer in another coding: other bytes, so another strong tag. */
export const codedTag = (tag: string, coding: string): string =>
  coding === 'identity' ? tag : `${tag.slice(0, -1)}-${coding}"`;

/** True when an `If-None-Match` header names the tag; comparison is weak, as RFC 9110 asks for it there. */
export const matchesTag = (header: string | undefined, tag: string): boolean => {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((item) => item.trim().replace(/^W\//, '') === tag);
};
