import type { IncomingMessage, ServerResponse } from 'node:http';

export interface LeftoverOptions {
  /** Milliseconds that the rest of a body may come after its answer; then the connection is closed. @default 5000 */
  readonly lingerMs?: number;
  /** Bytes that are read and thrown away per second, over all connections. @default 32 MiB */
  readonly bytesPerSecond?: number;
}

const tickMs = 50;

/**
 * Bytes that clients go on sending after they were answered. They are read for a while, since a client that is busy sending
 * would not see its answer, but so slowly that nobody else's requests wait for it.
 */
export const createLeftover = ({
  lingerMs = 5_000,
  bytesPerSecond = 32 * 1024 * 1024,
}: LeftoverOptions = {}) => {
  const perTick = Math.ceil((bytesPerSecond * tickMs) / 1_000);
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
    /** Looks after whatever of the request has not come when its answer is complete. */
    watch(request: IncomingMessage, response: ServerResponse): void {
      // Kept here: a request that was destroyed names its socket no more.
      const { socket } = request;
      response.once('prefinish', () => {
        if (request.complete) return;
        setTimeout(() => {
          if (!request.complete) socket.destroy();
        }, lingerMs).unref();
        if (request.destroyed) return;
        // Node reads on, as fast as it can, what nobody has begun to read.
        request.read();
        discard(request);
      });
    },
  };
};
