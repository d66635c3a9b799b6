/**
 * Long computations in short steps, so that the event loop goes on in between. However many are under way, one of them
 * has a turn and then everybody else: whoever asks for something waits for one turn, not for one of each.
 */

/** Longest that computations keep the event loop before others get their turn, milliseconds. */
const turnMs = 2;

/** Does steps until the given time; true when the last one is done. */
type Computation = (until: number) => boolean;

/** In the order of their turns. */
const underWay: Computation[] = [];
let isScheduled = false;

const schedule = (): void => {
  if (isScheduled || underWay.length === 0) return;
  isScheduled = true;
  setImmediate(takeTurn);
};

const takeTurn = (): void => {
  isScheduled = false;
  const until = performance.now() + turnMs;
  do {
    const next = underWay.shift();
    if (next === undefined) return;
    if (!next(until)) underWay.push(next);
  } while (performance.now() < until);
  schedule();
};

/** Does the steps of a long computation one after the other, and lets the event loop go on every few of them. */
export const runYielding = <T>(steps: Iterator<void, T>): Promise<T> =>
  new Promise((resolve, reject) => {
    underWay.push((until) => {
      try {
        do {
          const step = steps.next();
          if (step.done) {
            resolve(step.value);
            return true;
          }
        } while (performance.now() < until);
        return false;
      } catch (error) {
        reject(error);
        return true;
      }
    });
    schedule();
  });

/** Does the steps at once, for a computation that is known to be short. */
export const runAtOnce = <T>(steps: Iterator<void, T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};
