/**
 * Runs all kinds of requests with restarts, kills and stops against a fresh product and prints the figures.
 *
 *   npm run soak -- --minutes 60 [--seed S] [--clients 3] [--calm-seconds 20] [--out table.md]
 *
 * Exits with 1 on a fault: a wrong or lost row, an error that no disruption explains, a request without a response,
 * growing memory.
 */
import { writeFileSync } from 'node:fs';
import { commandOptions, newSeed } from '../harness/command.js';
import { reportText } from './report.js';
import { runSoak } from './soak-run.js';

const { number, text } = commandOptions({
  minutes: '10',
  seed: newSeed(),
  clients: '3',
  'calm-seconds': '20',
  out: '',
});

const report = await runSoak({
  minutes: number('minutes'),
  seed: number('seed'),
  clients: number('clients'),
  calmMs: number('calm-seconds') * 1_000,
  say: (line) => console.log(line),
});
const table = reportText(report);
console.log(`\n${table}`);
if (text('out') !== '') writeFileSync(text('out'), `${table}\n`);
process.exit(report.faults.length === 0 ? 0 : 1);
