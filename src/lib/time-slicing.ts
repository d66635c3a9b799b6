/**
 * Time slicing for long computations: they run in short steps and share slices of the event loop. All computations in
 * flight share one slice per turn of the loop, so a request waits for one slice however many there are.
 */

/** Maximum milliseconds for which computations block the event loop. */
const sliceMs = 2;

/** Runs steps until the given time. Returns true after the last one. */
type Computation = (until: number) => boolean;

/** Round robin. */
const inFlight: Computation[] = [];
let isScheduled = false;

const schedule = (): void => {
  if (isScheduled || inFlight.length === 0) return;
  isScheduled = true;
  setImmediate(runSlice);
};

const runSlice = (): void => {
  isScheduled = false;
  const until = performance.now() + sliceMs;
  do {
    const next = inFlight.shift();
    if (next === undefined) return;
    if (!next(until)) inFlight.push(next);
  } while (performance.now() < until);
  schedule();
};

/** Work in bounded steps, with a result at the end. The caller can yield to the event loop between steps. */
export type Steps<T> = Generator<void, T>;

/** Runs a long computation in time slices. */
export const runSliced = <T>(steps: Iterator<void, T>): Promise<T> =>
  new Promise((resolve, reject) => {
    inFlight.push((until) => {
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

/** Runs a short computation without a break. */
export const runAtOnce = <T>(steps: Iterator<void, T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};
