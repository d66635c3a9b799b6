import { setImmediate } from 'node:timers/promises';

/** Longest that a piece of work keeps the event loop before others get their turn, milliseconds. */
const turnMs = 2;

/** Does the steps of a long computation one after the other, and lets the event loop go on every few of them. */
export const runYielding = async <T>(steps: Iterator<void, T>): Promise<T> => {
  let begunAt = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - begunAt < turnMs) continue;
    await setImmediate();
    begunAt = performance.now();
  }
};

/** Does the steps at once, for a computation that is known to be short. */
export const runAtOnce = <T>(steps: Iterator<void, T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};
