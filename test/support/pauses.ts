/**
 * How long one piece of work keeps the event loop, as a multiple of a yardstick: work of a known size that the same
 * process does just before and after. A machine that is five times slower, or busy with others, is slower at both.
 */
import { expect } from 'vitest';

/** Processor time since a reading of `process.cpuUsage`, milliseconds: what else runs on the machine does not count. */
const cpuMsSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

/** Processor time of the longest turn of the event loop while `work` goes on, milliseconds. */
const longestTurn = async (work: () => Promise<unknown>): Promise<number> => {
  let longest = 0;
  let running = true;
  let before = process.cpuUsage();
  const look = (): void => {
    longest = Math.max(longest, cpuMsSince(before));
    before = process.cpuUsage();
    if (running) setImmediate(look);
  };
  setImmediate(look);
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

/** Names, maps and JSON, as in what is measured. */
const doYardstick = (): void => {
  const numbers = new Map<string, number>();
  for (let at = 0; at < 20_000; at += 1) numbers.set(`column ${at} of a table`, at);
  const text = JSON.stringify([...numbers]);
  for (const [name, at] of JSON.parse(text) as [string, number][])
    if (numbers.get(name) !== at) throw new Error('the yardstick is broken');
};

/** Processor time of the yardstick, milliseconds. */
const yardstickMs = (): number => {
  const before = process.cpuUsage();
  doYardstick();
  return cpuMsSince(before);
};

/**
 * The yardstick takes 15 to 25 ms of processor where a turn may take 50; what is measured below takes at most half of
 * this, and steps that came without an end to their work took a hundred of it and more.
 */
const maxYardsticks = 8;

const attempts = 6;

/**
 * Checks that no turn of the event loop takes longer than so many yardsticks while `work` goes on. The best of several
 * attempts counts: a collection of garbage comes now and then, a step that is too long comes each time.
 */
export const expectShortTurns = async (
  work: () => Promise<unknown>,
  yardsticks = maxYardsticks,
): Promise<void> => {
  // The first time, what is compiled is the code.
  await work();
  yardstickMs();
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && least > yardsticks; attempt += 1) {
    const before = yardstickMs();
    const turn = await longestTurn(work);
    least = Math.min(least, (2 * turn) / (before + yardstickMs()));
  }
  expect(least, 'the longest turn of the event loop, in yardsticks').toBeLessThanOrEqual(yardsticks);
};
