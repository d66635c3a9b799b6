import type { Readable } from 'node:stream';
import type { Place } from './places.js';

/**
 * Ties a place to the stream of an answer: it is idle while the stream is paused for its reader, given back when the
 * stream closes, and the stream ends with an error when the place is lost.
 */
export const holdForReader = (place: Place, body: Readable): void => {
  // It failed before anybody could listen: no event would ever give the place back.
  if (body.closed) {
    place.release();
    return;
  }
  const onLost = (): void => {
    body.destroy(place.lost.reason as Error);
  };
  body.on('pause', place.idle);
  body.on('resume', place.busy);
  place.lost.addEventListener('abort', onLost, { once: true });
  body.once('close', () => {
    place.lost.removeEventListener('abort', onLost);
    place.release();
  });
  if (place.lost.aborted) onLost();
};

/** Passes on what a client sends; the place is idle while there is nothing to pass on. Does not give it back. */
export async function* holdForSender(place: Place, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    place.idle();
    for await (const piece of source) {
      place.busy();
      yield piece;
      place.idle();
    }
  } finally {
    place.busy();
  }
}
