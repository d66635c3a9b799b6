import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startPeriodic } from '../../../src/jobs/periodic.js';
import { silentLog } from '../../../src/lib/log.js';

describe('rounds', () => {
  it('never overlap, and continue after a failure', async () => {
    let running = 0;
    let maxRunning = 0;
    let rounds = 0;
    const { stop } = startPeriodic({
      name: 'test',
      intervalMs: 1,
      log: silentLog,
      async run() {
        running += 1;
        rounds += 1;
        maxRunning = Math.max(maxRunning, running);
        await sleep(5);
        running -= 1;
        if (rounds === 1) throw new Error('the first one fails');
      },
    });
    while (rounds < 4) await sleep(1);
    await stop();
    expect(maxRunning).toBe(1);
    const after = rounds;
    await sleep(10);
    expect(rounds).toBe(after);
  });

  it('abort a run when they are stopped, and wait for it', async () => {
    let ended = false;
    let started = (): void => undefined;
    const runStarted = new Promise<void>((resolve) => {
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
    await runStarted;
    await stop();
    expect(ended).toBe(true);
  });

  it('stop at once when no run is in progress', async () => {
    const { stop } = startPeriodic({
      name: 'test',
      intervalMs: 1e6,
      log: silentLog,
      run: async () => undefined,
    });
    // The next round is a quarter of an hour away.
    await stop();
  });
});
