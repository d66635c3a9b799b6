import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until the list is empty; returns it if it has not changed for `boundMs`. */
export const untilNone = async (list: () => Promise<string[]>, boundMs: number): Promise<string[]> => {
  let before = '';
  let deadline = 0;
  for (;;) {
    const now = await list();
    if (now.length === 0) return [];
    if (now.join() !== before) {
      before = now.join();
      deadline = Date.now() + boundMs;
    }
    if (Date.now() > deadline) return now;
    await sleep(250);
  }
};
