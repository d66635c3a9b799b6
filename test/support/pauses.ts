/**
 * Event loop blocking, measured in multiples of a yardstick: reference work that the same process does just before
 * and after. A slow or busy machine slows both.
 */
import { expect } from 'vitest';

/** CPU time since a reading of `process.cpuUsage`, in milliseconds. Excludes other load on the machine. */
const cpuMsSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

/** CPU milliseconds of the longest event loop iteration during `work`. */
const longestTurn = async (work: () => Promise<unknown>): Promise<number> => {
  let longest = 0;
  let running = true;
  let before = process.cpuUsage();
  const measure = (): void => {
    longest = Math.max(longest, cpuMsSince(before));
    before = process.cpuUsage();
    if (running) setImmediate(measure);
  };
  setImmediate(measure);
  await new Promise((resolve) => setImmediate(resolve));
  longest = 0;
  try {
    await work();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    running = false;
  }
  return longest;
};

/** Uses strings, maps and JSON like the measured work. */
const doYardstick = (): void => {
  const numbers = new Map<string, number>();
  for (let at = 0; at < 20_000; at += 1) numbers.set(`column ${at} of a table`, at);
  const text = JSON.stringify([...numbers]);
  for (const [name, at] of JSON.parse(text) as [string, number][])
    if (numbers.get(name) !== at) throw new Error('the yardstick is broken');
};

/** CPU milliseconds of the yardstick. */
const yardstickMs = (): number => {
  const before = process.cpuUsage();
  doYardstick();
  return cpuMsSince(before);
};

/**
 * The yardstick takes 15 to 25 ms of CPU on a machine where an iteration may take 50. Correct code takes at most half
 * of this limit; steps without a bound on their work took a hundred yardsticks and more.
 */
const maxYardsticks = 8;

const attempts = 6;

/**
 * Checks that no event loop iteration during `work` takes longer than this many yardsticks. The best of several
 * attempts counts: garbage collection disturbs some of them, a step that is too long disturbs all.
 */
export const expectShortTurns = async (
  work: () => Promise<unknown>,
  yardsticks = maxYardsticks,
): Promise<void> => {
  // Warm-up, since the first run includes compilation.
  await work();
  yardstickMs();
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && least > yardsticks; attempt += 1) {
    const before = yardstickMs();
    const turn = await longestTurn(work);
    least = Math.min(least, (2 * turn) / (before + yardstickMs()));
  }
  expect(least, 'longest event loop iteration, in yardsticks').toBeLessThanOrEqual(yardsticks);
};
