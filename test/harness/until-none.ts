import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until nothing is left; returns what is left when it has not changed for `boundMs`. */
export const untilNone = async (left: () => Promise<string[]>, boundMs: number): Promise<string[]> => {
  let before = '';
  let deadline = 0;
  for (;;) {
    const now = await left();
    if (now.length === 0) return [];
    if (now.join() !== before) {
      before = now.join();
      deadline = Date.now() + boundMs;
    }
    if (Date.now() > deadline) return now;
    await sleep(250);
  }
};
