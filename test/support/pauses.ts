/** How long one piece of work keeps the event loop. */

/**
 * The longest turn of the event loop while `work` goes on, in milliseconds of processor time: what else runs on the
 * machine does not count.
 */
export const longestTurn = async (work: () => Promise<unknown>): Promise<number> => {
  let longest = 0;
  let running = true;
  let before = process.cpuUsage();
  const look = (): void => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
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
