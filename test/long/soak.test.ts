import { expect, it } from 'vitest';
import { reportText } from '../soak/report.js';
import { runSoak } from '../soak/soak-run.js';

it('everything at once with restarts, kills and stops: no fault, and a table of what came of it', async () => {
  const report = await runSoak({
    minutes: Number(process.env.TEST_SOAK_MINUTES ?? 1),
    seed: 11,
    clients: 2,
    calmMs: 10_000,
    say: () => undefined,
  });
  expect(report.faults).toEqual([]);
  expect(Object.keys(report.struck)).not.toEqual([]);
  expect(report.outcomes.completed).toBeGreaterThan(0);
  expect(report.memory.map(({ name }) => name)).toContain('api-1');
  for (const { kind, count, refused, broken, times } of report.kinds) {
    expect(count).toBe(refused + broken + times.length);
    expect(reportText(report)).toContain(`| ${kind} | `);
  }
}, 900_000);
