/** Cache of the rows in which two versions differ, as bytes. The same pair is often requested again, and never changes. */
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createCache } from '../../lib/cache.js';

interface RememberedRows {
  get(name: string): Readable | undefined;
  /** Passes the bytes through, and caches them if they are read to the end. */
  through(name: string, body: Readable): Readable;
}

/** Largest answer that is cached, as a share of the limit. */
const largestShare = 1 / 16;
/** Overhead of a cache entry. */
const bytesPerAnswer = 500;

/** @param limit in bytes; 0 disables the cache */
export const createRememberedRows = (limit: number): RememberedRows => {
  const answers = createCache<Buffer>({ limit, weigh: (bytes) => bytes.length + bytesPerAnswer });
  const largest = limit * largestShare;

  const collector = (name: string): Transform => {
    let chunks: Buffer[] = [];
    let size = 0;
    return new Transform({
      transform(chunk: Buffer, _, done) {
        size += chunk.length;
        if (size <= largest) chunks.push(chunk);
        else chunks = [];
        done(null, chunk);
      },
      // Not called if the answer fails, so an incomplete answer is never cached.
      flush(done) {
        if (size <= largest) answers.set(name, Buffer.concat(chunks));
        done();
      },
    });
  };

  return {
    get(name) {
      const bytes = answers.get(name);
      return bytes && Readable.from([bytes], { objectMode: false });
    },
    through(name, body) {
      if (largest < bytesPerAnswer) return body;
      const out = collector(name);
      // The reader gets the error from `out`.
      pipeline(body, out).catch(() => undefined);
      return out;
    },
  };
};
