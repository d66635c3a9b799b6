import type { Readable } from 'node:stream';
import type { Permit, Semaphore } from './semaphore.js';

/**
 * Ties a permit to the stream of an answer: it is idle while the stream is paused for its reader, and released when the stream closes. The
 * stream ends with an error if the permit is revoked.
 */
export const holdForReader = (permit: Permit, body: Readable): void => {
  // It failed before there was a listener, so no event would release the permit.
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

/** Opens an answer with a permit, which its stream keeps until it closes. */
export const openWithPermit = async <T extends { readonly body: Readable }>(
  semaphore: Semaphore,
  { owner, signal }: { readonly owner: string; readonly signal: AbortSignal },
  open: () => Promise<T>,
): Promise<T> => {
  const permit = await semaphore.acquire(owner, signal);
  try {
    const opened = await open();
    holdForReader(permit, opened.body);
    return opened;
  } catch (error) {
    permit.release();
    throw error;
  }
};

/** Passes on what a client sends. The permit is idle while there is no data. Does not release it. */
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
