import { createHash } from 'node:crypto';
import { createCache } from '../lib/cache.js';

/**
 * Recently valid keys and their owners. Used only to choose the owner under which a request waits before its key is looked
 * up; the key is validated for each request.
 */
interface KnownKeys {
  ownerOf(key: string): string | undefined;
  learn(key: string, owner: string): void;
  forget(key: string): void;
}

const maxKeys = 10_000;

export const createKnownKeys = (): KnownKeys => {
  // Stored as hashes, so nothing here is worth stealing.
  const owners = createCache<string>({ limit: maxKeys, weigh: () => 1 });
  const hashOf = (key: string): string => createHash('sha256').update(key).digest('base64');
  return {
    ownerOf: (key) => owners.get(hashOf(key)),
    learn: (key, owner) => owners.set(hashOf(key), owner),
    forget: (key) => owners.delete(hashOf(key)),
  };
};
