import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { whileLeased } from '../../../src/jobs/lease.js';

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

const failOn = (error: unknown): never => {
  throw error;
};

describe('whileLeased', () => {
  it('returns the result of the work, and renews only until then', async () => {
    let renewals = 0;
    const renew = async () => {
      renewals += 1;
      return true;
    };
    const work = async () => {
      while (renewals < 3) await sleep(1);
      return 'done';
    };
    expect(await whileLeased({ leaseMs: 6, renew, onError: failOn }, work)).toBe('done');
    const renewalsOfWork = renewals;
    await sleep(20);
    expect(renewals).toBe(renewalsOfWork);
  });

  it('aborts the signal of the work when another process holds the lease', async () => {
    await whileLeased({ leaseMs: 6, renew: async () => false, onError: failOn }, aborted);
  });

  it('aborts the signal of the work when the lease could not be renewed in time', async () => {
    const errors: unknown[] = [];
    const renew = () => Promise.reject(new Error('away'));
    await whileLeased({ leaseMs: 6, renew, onError: (error) => errors.push(error) }, aborted);
    expect(errors.length).toBeGreaterThan(0);
  });

  it('runs one renewal at a time, however long it takes', async () => {
    let running = 0;
    let maxRunning = 0;
    const renew = async () => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await sleep(30);
      running -= 1;
      return true;
    };
    await whileLeased({ leaseMs: 9, renew, onError: failOn }, () => sleep(100));
    expect(maxRunning).toBe(1);
  });
});
