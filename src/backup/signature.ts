/**
 * Signature of a backup: HMAC-SHA-256 over the bytes of its manifest, which has size and SHA-256 of every file. So it covers
 * every byte of the backup, its id and its time. It does not say that a backup is the newest one.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const hmac = (key: string, manifest: Buffer): Buffer => createHmac('sha256', key).update(manifest).digest();

/** @param keys The first one signs. Undefined: backups are not signed. */
export const signatureOf = (keys: readonly string[], manifest: Buffer): string | undefined => {
  const [key] = keys;
  return key === undefined ? undefined : hmac(key, manifest).toString('hex');
};

/** True when one of the keys made the signature. */
export const isSignedBy = (keys: readonly string[], manifest: Buffer, signature: string): boolean => {
  const given = Buffer.from(signature, 'hex');
  return keys.some((key) => {
    const own = hmac(key, manifest);
    return own.length === given.length && timingSafeEqual(own, given);
  });
};
