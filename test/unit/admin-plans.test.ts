import { expect, it } from 'vitest';
import type { AdminContext } from '../../src/admin/command.js';
import { planCommands } from '../../src/admin/plans.js';
import { runCommandLine } from '../../src/admin/run.js';
import { dueVersionsSql } from '../../src/versions/version-removal.js';

const plan = (line: string) =>
  runCommandLine(
    [planCommands],
    line.split(' '),
    async () => ({ sql: { query: async () => [] } }) as unknown as AdminContext,
  );

it.each(['36501', '999999999999999'])('a plan with %s days for versions is refused', async (days) => {
  await expect(plan(`plan create big --version-days ${days}`)).rejects.toMatchObject({
    code: 'usage',
    message: '--version-days is at most 36500, or none',
  });
});

it('days of a plan that is there are bounded before PostgreSQL subtracts them', () => {
  const subtracted = [...dueVersionsSql.matchAll(/least\(d\.keep_days[^)]*\)/g)].map(([text]) => text);
  expect(subtracted.length).toBeGreaterThan(1);
  expect(new Set(subtracted)).toEqual(new Set(['least(d.keep_days, p.max_version_days, 36500)']));
});
