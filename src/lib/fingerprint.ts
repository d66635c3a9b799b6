import { createHash } from 'node:crypto';

/** 27 characters of base64url that follow from the given facts alone. @param parts JSON values. */
export const fingerprint = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27);
