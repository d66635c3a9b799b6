/**
 * Authenticates chunks between the API that sends them and the workers that read them from Kafka (docs/adr/0077-chunk-authentication.md).
 * The key belongs to one upload and is stored in its row in PostgreSQL, so write access to Kafka alone is not enough to add, alter or move
 * rows.
 */
import { createCipheriv, randomBytes, timingSafeEqual } from 'node:crypto';
import { ChunkFault } from '../../model/chunk-fault.js';
import type { KeptMessage } from './dead-letters.js';

/** Name of the message header with the code. */
export const macHeader = 'mac';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** A new key for the chunks of one upload. */
export const createChunkKey = (): Buffer => randomBytes(keyBytes);

/** GMAC (NIST SP 800-38D) over the bytes: AES-GCM without plaintext. Five times as fast as HMAC-SHA-256. */
const tagOf = (key: Buffer, nonce: Buffer, value: Buffer): Buffer => {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(value);
  cipher.final();
  return cipher.getAuthTag();
};

/** Authentication code of a message's value: nonce and tag. */
export const macOf = (key: Buffer, value: Buffer): Buffer => {
  const nonce = randomBytes(nonceBytes);
  return Buffer.concat([nonce, tagOf(key, nonce, value)]);
};

const headerBytes = ({ headers }: KeptMessage): Buffer | undefined => {
  const value = headers?.[macHeader];
  if (value === undefined || Array.isArray(value)) return undefined;
  return typeof value === 'string' ? Buffer.from(value, 'base64') : Buffer.from(value.toString(), 'base64');
};

const isGenuine = (key: Buffer, value: Buffer, mac: Buffer | undefined): boolean =>
  mac?.length === nonceBytes + tagBytes &&
  timingSafeEqual(tagOf(key, mac.subarray(0, nonceBytes), value), mac.subarray(nonceBytes));

/**
 * @param key Key of the upload that the chunk names; null: it has none, so no chunk belongs to it.
 * @throws ChunkFault `forged` unless the API sent exactly these bytes for this upload.
 */
export const requireGenuine = (key: Buffer | null, message: KeptMessage): void => {
  if (key !== null && isGenuine(key, message.value ?? Buffer.alloc(0), headerBytes(message))) return;
  throw new ChunkFault('forged', 'the message is not one that was sent for this upload');
};
