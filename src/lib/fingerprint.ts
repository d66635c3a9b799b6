import { createHash } from 'node:crypto';

/** Returns 27 characters of base64url: a hash of the parts. @param parts JSON values. */
export const fingerprint = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27);
