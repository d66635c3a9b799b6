/** Cache of the rows in which two versions differ, as they were sent. The same pair is often requested again, and never changes. */
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createCache } from '../../lib/cache.js';

interface RememberedRows {
  /** The bytes of an earlier answer. */
  get(name: string): Readable | undefined;
  /** Passes the bytes through, and caches them once they were read to the end. */
  through(name: string, body: Readable): Readable;
}

/** Part of the limit that one answer may take. */
const largestPart = 1 / 16;
/** Besides the bytes themselves. */
const bytesPerAnswer = 500;

/** @param limit Bytes of all answers together; 0: none is remembered. */
export const createRememberedRows = (limit: number): RememberedRows => {
  const known = createCache<Buffer>({ limit, weigh: (bytes) => bytes.length + bytesPerAnswer });
  const largest = limit * largestPart;

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
      // Not called when the answer breaks off: then nothing is remembered.
      flush(done) {
        if (size <= largest) known.set(name, Buffer.concat(chunks));
        done();
      },
    });
  };

  return {
    get(name) {
      const bytes = known.get(name);
      return bytes && Readable.from([bytes], { objectMode: false });
    },
    through(name, body) {
      if (largest < bytesPerAnswer) return body;
      const out = collector(name);
      // A failure reaches the reader through the stream that it reads.
      pipeline(body, out).catch(() => undefined);
      return out;
    },
  };
};
