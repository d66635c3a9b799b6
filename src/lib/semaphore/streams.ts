import type { Readable } from 'node:stream';
import type { Permit } from './semaphore.js';

/**
 * Ties a permit to the stream of an answer: it is idle while the stream is paused for its reader, given back when the
 * stream closes, and the stream ends with an error when the permit is lost.
 */
export const holdForReader = (permit: Permit, body: Readable): void => {
  // It failed before anybody could listen: no event would ever give the permit back.
  if (body.closed) {
    permit.release();
    return;
  }
  const onRevoked = (): void => {
    body.destroy(permit.revoked.reason as Error);
  };
  body.on('pause', permit.idle);
  body.on('resume', permit.busy);
  permit.revoked.addEventListener('abort', onRevoked, { once: true });
  body.once('close', () => {
    permit.revoked.removeEventListener('abort', onRevoked);
    permit.release();
  });
  if (permit.revoked.aborted) onRevoked();
};

/** Passes on what a client sends; the permit is idle while there is nothing to pass on. Does not give it back. */
export async function* holdForSender(permit: Permit, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    permit.idle();
    for await (const piece of source) {
      permit.busy();
      yield piece;
      permit.idle();
    }
  } finally {
    permit.busy();
  }
}
