import { expect, it } from 'vitest';
import { runRolling } from '../crash/rolling.js';

it('no request fails, no upload is lost and no download is cut off while every process is restarted in turn', async () => {
  const report = await runRolling({
    cycles: Number(process.env.TEST_RESTART_ROUNDS ?? 1),
    // The first round always completes.
    minutes: Number(process.env.TEST_RESTART_MINUTES ?? 0.3),
    seed: 7,
    apis: 2,
    workers: 2,
    clients: 2,
    datasets: 3,
    largestRows: 20_000,
    longestStopMs: 0,
    targets: [],
    say: () => undefined,
  });
  expect(report.faults).toEqual([]);
  expect(report.restarts).toBeGreaterThanOrEqual(4);
  expect(report.readsDuringRestarts).toBeGreaterThan(0);
  expect(report.outcomes.completed).toBeGreaterThan(0);
});
