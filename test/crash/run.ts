/**
 * Breaks the product at random instants while files are uploaded, then checks every process.
 *
 *   npm run test:crash -- --cycles 200 [--seed S] [--minutes M] [--apis 2] [--workers 3] [--clients 3]
 *                         [--largest-mb 30] [--longest-stop-ms 15000] [--targets kafka,worker]
 */
import { parseArgs } from 'node:util';
import { runCrash } from './crash-run.js';
import { reportText } from './report.js';

const bytesPerRow = 45;

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--' && !argument.endsWith('run.ts')),
  options: {
    cycles: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '600' },
    apis: { type: 'string', default: '2' },
    workers: { type: 'string', default: '2' },
    clients: { type: 'string', default: '3' },
    datasets: { type: 'string', default: '5' },
    'largest-mb': { type: 'string', default: '30' },
    'longest-stop-ms': { type: 'string', default: '15000' },
    targets: { type: 'string', default: '' },
  },
});

const number = (name: keyof typeof values): number => {
  const value = Number(values[name]);
  if (!Number.isFinite(value) || value <= 0) throw new RangeError(`--${name} must be a number above 0`);
  return value;
};

console.log(`seed ${number('seed')}`);
const report = await runCrash({
  cycles: number('cycles'),
  seed: number('seed'),
  minutes: number('minutes'),
  apis: number('apis'),
  workers: number('workers'),
  clients: number('clients'),
  datasets: number('datasets'),
  largestRows: Math.round((number('largest-mb') * 1024 * 1024) / bytesPerRow),
  longestStopMs: number('longest-stop-ms'),
  targets: values.targets.split(',').filter((name) => name !== ''),
  say: (line) => console.log(line),
});
console.log(reportText(report));
process.exit(report.faults.length === 0 ? 0 : 1);
