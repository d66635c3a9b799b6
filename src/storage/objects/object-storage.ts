import type { Readable } from 'node:stream';

interface ObjectInfo {
  readonly size: number;
  /** Time at which it was stored, in milliseconds since the epoch. */
  readonly storedAtMs: number;
}

/** Current state of an object. */
export interface ObjectState extends ObjectInfo {
  /** Tag of exactly these bytes: an object that was stored again has another tag. */
  readonly tag: string;
}

export interface StoredObject extends ObjectInfo {
  readonly key: string;
}

export interface ByteRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

interface DirectLink {
  readonly expiresSeconds: number;
  readonly contentType: string;
  /** Value of `Content-Disposition`. */
  readonly disposition: string;
}

/** Stores finished files. An object is stored whole or not at all, and never changes. */
export interface ObjectStorage {
  /** Undefined if there is no such object. */
  stat(key: string): Promise<ObjectState | undefined>;
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Moves a finished local file into the storage. */
  adopt(key: string, path: string): Promise<void>;
  /** Idempotent. */
  delete(key: string): Promise<void>;
  list(): AsyncIterable<StoredObject>;
  /** Address that serves the object without this service; undefined: the storage has none. */
  link(key: string, link: DirectLink): Promise<string | undefined>;
}
