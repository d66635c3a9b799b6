import { createHash } from 'node:crypto';

/** 27 characters of base64url that follow from the given facts alone. @param facts JSON values. */
export const fingerprint = (facts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 27);
