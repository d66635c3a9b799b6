import type { IncomingMessage, ServerResponse } from 'node:http';

/** Milliseconds for which the remainder of a body is read after the answer; then the connection is closed. */
const lingerMs = 5_000;
/** Bytes discarded per second, over all connections. */
const bytesPerSecond = 32 * 1024 * 1024;
const tickMs = 50;
const perTick = Math.ceil((bytesPerSecond * tickMs) / 1_000);

/**
 * Request bodies that clients are still sending after the answer. They are read and discarded for a while, since a client that is blocked
 * in sending does not see its answer. The rate is limited so that other requests do not wait.
 */
export const createUnreadBodies = () => {
  const paused = new Set<IncomingMessage>();
  let left = perTick;
  let isRefilling = false;

  const refill = (): void => {
    left = perTick;
    isRefilling = false;
    const waiting = [...paused];
    paused.clear();
    for (const request of waiting) request.resume();
  };

  const discard = (request: IncomingMessage): void => {
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (!isRefilling) setTimeout(refill, tickMs).unref();
      isRefilling = true;
      if (left > 0) return;
      request.pause();
      paused.add(request);
    });
    request.once('close', () => paused.delete(request));
    request.resume();
  };

  return {
    /** Discards the rest of the body once the answer is complete. */
    watch(request: IncomingMessage, response: ServerResponse): void {
      // A destroyed request no longer has its socket.
      const { socket } = request;
      response.once('prefinish', () => {
        if (request.complete) return;
        setTimeout(() => {
          if (!request.complete) socket.destroy();
        }, lingerMs).unref();
        if (request.destroyed) return;
        // Otherwise Node discards an unread body at full speed.
        request.read();
        discard(request);
      });
    },
  };
};
