import type { Readable } from 'node:stream';

interface ObjectInfo {
  readonly size: number;
  /** When it was stored, in milliseconds since the epoch. */
  readonly storedAtMs: number;
}

/** An object as it is at the moment. */
export interface ObjectState extends ObjectInfo {
  /** Tag of exactly these bytes: an object that was stored again has another one. */
  readonly tag: string;
}

export interface StoredObject extends ObjectInfo {
  readonly key: string;
}

export interface ByteRange {
  readonly start: number;
  /** Included. */
  readonly end: number;
}

interface DirectLink {
  readonly expiresSeconds: number;
  readonly contentType: string;
  /** Value of `Content-Disposition`. */
  readonly disposition: string;
}

/** Keeps finished files. An object is there whole or not at all; once there it never changes. */
export interface ObjectStorage {
  /** Undefined when there is no such object. */
  stat(key: string): Promise<ObjectState | undefined>;
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Takes a finished local file over: afterwards it is the object, and no longer where it was. */
  adopt(key: string, path: string): Promise<void>;
  /** Idempotent. */
  delete(key: string): Promise<void>;
  list(): AsyncIterable<StoredObject>;
  /** Address that serves the object without this service; undefined where the storage has none. */
  link(key: string, link: DirectLink): Promise<string | undefined>;
}
