import { createHash } from 'node:crypto';

/**
 * Recently valid keys and their owners. Used only to choose the owner under which a request waits before its key is looked
 * up; the key is validated for each request.
 */
interface KnownKeys {
  ownerOf(key: string): string | undefined;
  learn(key: string, owner: string): void;
  forget(key: string): void;
}

/** Keys remembered; beyond it the oldest are forgotten. */
const most = 10_000;

export const createKnownKeys = (): KnownKeys => {
  // By hash: nothing here is worth stealing.
  const owners = new Map<string, string>();
  const hashOf = (key: string): string => createHash('sha256').update(key).digest('base64');
  return {
    ownerOf: (key) => owners.get(hashOf(key)),
    learn(key, owner) {
      const hash = hashOf(key);
      owners.delete(hash);
      owners.set(hash, owner);
      const [oldest] = owners.keys();
      if (owners.size > most && oldest !== undefined) owners.delete(oldest);
    },
    forget(key) {
      owners.delete(hashOf(key));
    },
  };
};
