import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startPeriodic } from '../../../src/jobs/periodic.js';
import { silentLog } from '../../../src/lib/log.js';

describe('rounds', () => {
  it('never overlap, and continue after a failure', async () => {
    let running = 0;
    let most = 0;
    let rounds = 0;
    const { stop } = startPeriodic({
      name: 'test',
      intervalMs: 1,
      log: silentLog,
      async run() {
        running += 1;
        rounds += 1;
        most = Math.max(most, running);
        await sleep(5);
        running -= 1;
        if (rounds === 1) throw new Error('the first one fails');
      },
    });
    while (rounds < 4) await sleep(1);
    await stop();
    expect(most).toBe(1);
    const after = rounds;
    await sleep(10);
    expect(rounds).toBe(after);
  });

  it('abort a run when they are stopped, and wait for it', async () => {
    let ended = false;
    let started = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      started = resolve;
    });
    const { stop } = startPeriodic({
      name: 'test',
      intervalMs: 1,
      log: silentLog,
      async run(signal) {
        started();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ended = true;
      },
    });
    await begun;
    await stop();
    expect(ended).toBe(true);
  });

  it('end at once when nothing runs', async () => {
    const { stop } = startPeriodic({
      name: 'test',
      intervalMs: 1e6,
      log: silentLog,
      run: async () => undefined,
    });
    // Its next round is a quarter of an hour away.
    await stop();
  });
});
