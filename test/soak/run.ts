/**
 * Everything at once against a fresh product, and one table of what came of it.
 *
 *   npm run soak -- --minutes 60 [--seed S] [--clients 3] [--calm-seconds 20] [--out table.md]
 *
 * Ends with 1 when there was a fault: a wrong or lost row, an answer that no broken component explains, a request without an
 * answer, memory that grows.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { reportText } from './report.js';
import { runSoak } from './soak-run.js';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--' && !argument.endsWith('run.ts')),
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    clients: { type: 'string', default: '3' },
    'calm-seconds': { type: 'string', default: '20' },
    out: { type: 'string' },
  },
});

const number = (name: 'minutes' | 'seed' | 'clients' | 'calm-seconds'): number => {
  const value = Number(values[name]);
  if (!Number.isFinite(value) || value <= 0) throw new RangeError(`--${name} must be a number above 0`);
  return value;
};

const report = await runSoak({
  minutes: number('minutes'),
  seed: number('seed'),
  clients: number('clients'),
  calmMs: number('calm-seconds') * 1_000,
  say: (line) => console.log(line),
});
const text = reportText(report);
console.log(`\n${text}`);
if (values.out !== undefined) writeFileSync(values.out, `${text}\n`);
process.exit(report.faults.length === 0 ? 0 : 1);
