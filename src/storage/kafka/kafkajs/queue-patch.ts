/**
 * Stops the timer of kafkajs' request queue while no request is pending.
 *
 * kafkajs schedules the next look at its queue after every look, also when nothing is pending, with a delay that is
 * negative unless the broker throttles. Each connection then wakes the process every millisecond, and Node 24 prints a
 * `TimeoutNegativeWarning`. An enqueued request schedules a look itself, so an empty queue needs none.
 *
 * These are internals of the version that `encoder-patch.ts` insists on.
 */
import { createRequire } from 'node:module';

const patched = Symbol('queue patch');

/** The parts of kafkajs' RequestQueue that matter here. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/** Call it before the first connection is made; once is enough. */
export const patchKafkajsQueue = (): void => {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as {
    prototype: RequestQueue & { [patched]?: true };
  };
  if (prototype[patched]) return;
  const plain = prototype.scheduleCheckPendingRequests;
  Object.assign(prototype, {
    scheduleCheckPendingRequests(this: RequestQueue): void {
      if (this.pending.length > 0) plain.call(this);
    },
    [patched]: true,
  });
};
