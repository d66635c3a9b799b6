import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** A master key: 32 random bytes, and the id that is stored with texts encrypted by it. */
export interface MasterKey {
  readonly id: string;
  readonly bytes: Buffer;
}

export interface Cipher {
  readonly currentId: string;
  /** Encrypts with the current master key. `context` must be the same for `open`. */
  seal(plain: string, context: readonly string[]): Buffer;
  /** Throws if the text was altered, moved to another context, or encrypted with an unknown key. */
  open(masterKeyId: string, sealed: Buffer, context: readonly string[]): string;
  /** Fingerprint of a text, which does not reveal it. */
  fingerprint(plain: string, context: readonly string[]): string;
}

const nonceBytes = 12;
const tagBytes = 16;

/** Encoded as JSON, so that no two contexts have the same bytes. */
const encodeContext = (context: readonly string[]): Buffer => Buffer.from(JSON.stringify(context));

/** `id:base64` pairs, the current one first. */
export const parseMasterKeys = (texts: readonly string[]): MasterKey[] => {
  const keys = texts.map((text): MasterKey => {
    const [id = '', encoded = ''] = text.split(':');
    const bytes = Buffer.from(encoded, 'base64');
    if (!/^[\w-]{1,32}$/.test(id) || bytes.length !== 32)
      throw new Error('a master key is a name, a colon and 32 bytes in base64');
    return { id, bytes };
  });
  if (new Set(keys.map(({ id }) => id)).size !== keys.length)
    throw new Error('two master keys have the same name');
  return keys;
};

const subkey = (master: MasterKey, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master.bytes, Buffer.alloc(0), purpose, 32));

/** AES-256-GCM. The first key encrypts; each of them decrypts. */
export const createCipher = (masterKeys: readonly [MasterKey, ...MasterKey[]]): Cipher => {
  const [current] = masterKeys;
  const sealing = new Map(masterKeys.map((master) => [master.id, subkey(master, 'user keys: seal')]));
  const marking = subkey(current, 'user keys: fingerprint');

  const keyOf = (id: string): Buffer => {
    const key = sealing.get(id);
    if (key === undefined) throw new Error(`master key '${id}' is not configured`);
    return key;
  };

  return {
    currentId: current.id,
    seal(plain, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', keyOf(current.id), nonce).setAAD(encodeContext(context));
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]);
    },
    open(masterKeyId, sealed, context) {
      const nonce = sealed.subarray(0, nonceBytes);
      const tag = sealed.subarray(sealed.length - tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', keyOf(masterKeyId), nonce, {
        authTagLength: tagBytes,
      });
      decipher.setAAD(encodeContext(context)).setAuthTag(tag);
      const plain = decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes));
      return Buffer.concat([plain, decipher.final()]).toString('utf8');
    },
    fingerprint: (plain, context) =>
      createHmac('sha256', marking)
        .update(JSON.stringify([...context, plain]))
        .digest('base64url')
        .slice(0, 22),
  };
};
