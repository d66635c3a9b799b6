import { expect, it } from 'vitest';
import { reportText } from '../soak/report.js';
import { runSoak } from '../soak/soak-run.js';

it('all kinds of requests during restarts, kills and stops cause no fault and are reported in a table', async () => {
  const report = await runSoak({
    minutes: Number(process.env.TEST_SOAK_MINUTES ?? 1),
    seed: 11,
    clients: 2,
    calmMs: 10_000,
    say: () => undefined,
  });
  expect(report.faults).toEqual([]);
  expect(Object.keys(report.disruptions)).not.toEqual([]);
  expect(report.outcomes.completed).toBeGreaterThan(0);
  expect(report.memory.map(({ name }) => name)).toContain('api-1');
  for (const { kind, count, refused, broken, times } of report.kinds) {
    expect(count).toBe(refused + broken + times.length);
    expect(reportText(report)).toContain(`| ${kind} | `);
  }
}, 900_000);
