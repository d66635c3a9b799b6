import { Readable } from 'node:stream';

/** A stream of bytes. `Readable.from` alone makes one of objects, which counts pieces instead of bytes. */
export const byteStream = (bytes: AsyncIterable<Buffer>, highWaterMark = 128 * 1024): Readable =>
  Readable.from(bytes, { objectMode: false, highWaterMark });
