import { createHash, randomBytes } from 'node:crypto';

const marker = 'tab_';
const prefixLength = marker.length + 8;

interface NewApiKey {
  /** Shown once, never stored. */
  readonly key: string;
  /** Start of the key, for recognition in lists. */
  readonly prefix: string;
  readonly hash: Buffer;
}

/** SHA-256 is enough: a key has 256 random bits, which a slow hash would not protect better. */
export const hashApiKey = (key: string): Buffer => createHash('sha256').update(key, 'utf8').digest();

export const newApiKey = (): NewApiKey => {
  const key = marker + randomBytes(32).toString('base64url');
  return { key, prefix: key.slice(0, prefixLength), hash: hashApiKey(key) };
};
