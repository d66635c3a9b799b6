import { Readable } from 'node:stream';

/** A stream of bytes. `Readable.from` alone makes one of objects, which counts pieces instead of bytes. */
export const byteStream = (bytes: AsyncIterable<Buffer>, highWaterMark = 128 * 1024): Readable =>
  Readable.from(bytes, { objectMode: false, highWaterMark });

/**
 * Destroys `source` when `stream` closes, which a generator that reads the source does not do if it never started.
 * @returns `stream`
 */
export const endingWith = (stream: Readable, source: Readable): Readable =>
  stream === source ? stream : stream.once('close', () => source.destroy());
