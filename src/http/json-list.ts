import { Readable } from 'node:stream';
import type { Reply } from './route.js';

async function* textOf(batches: AsyncIterable<readonly object[]>): AsyncGenerator<Buffer> {
  let separator = '[';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield Buffer.from(separator + batch.map((item) => JSON.stringify(item)).join(','));
    separator = ',';
  }
  yield Buffer.from(separator === '[' ? '[]' : ']');
}

/** `200` with a JSON array that is written as its batches come, never held as a whole. */
export const jsonList = (batches: AsyncIterable<readonly object[]>): Reply => ({
  status: 200,
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: Readable.from(textOf(batches), { objectMode: false }),
});
