import { describe, expect, it } from 'vitest';
import { runCrash } from '../../crash/crash-run.js';

describe('the product, killed at random moments', () => {
  it('does not lose, duplicate or alter rows, and restarts by itself', async () => {
    const report = await runCrash({
      cycles: 8,
      minutes: 0.6,
      // With this seed, the first cycles hit each kind of component.
      seed: Number(process.env.TEST_CRASH_SEED ?? 5),
      apis: 1,
      workers: 2,
      clients: 2,
      datasets: 3,
      largestRows: 20_000,
      longestStopMs: 2_000,
      targets: [],
      say: () => undefined,
    });
    expect(report.faults).toEqual([]);
    expect(report.cycles).toBeGreaterThan(0);
    expect(report.outcomes.completed).toBeGreaterThan(0);
  });
});
