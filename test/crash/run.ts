/**
 * Breaks the product at random instants while files are uploaded, then checks every process.
 *
 *   npm run test:crash -- --cycles 200 [--seed S] [--minutes M] [--apis 2] [--workers 3] [--clients 3]
 *                         [--largest-mb 30] [--longest-stop-ms 15000] [--targets kafka,worker]
 *   npm run test:crash -- --scenario rolling --cycles 10 …      restarts every process in turn so many times
 *   npm run test:crash -- --scenario full-disk [--targets clickhouse,kafka,postgres] …      as root
 */
import { parseArgs } from 'node:util';
import { type CrashOptions, type CrashReport, runCrash } from './crash-run.js';
import { runFullDisk } from './full-disk.js';
import { components } from './product.js';
import { reportText } from './report.js';
import { runRolling } from './rolling.js';

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
    scenario: { type: 'string', default: 'blows' },
  },
});

const number = (name: Exclude<keyof typeof values, 'targets' | 'scenario'>): number => {
  const value = Number(values[name]);
  if (!Number.isFinite(value) || value <= 0) throw new RangeError(`--${name} must be a number above 0`);
  return value;
};

console.log(`seed ${number('seed')}`);
const options: CrashOptions = {
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
};

const runs = async (): Promise<CrashReport[]> => {
  if (values.scenario === 'blows') return [await runCrash(options)];
  if (values.scenario === 'rolling') return [await runRolling(options)];
  if (values.scenario !== 'full-disk') throw new RangeError(`there is no scenario ${values.scenario}`);
  const chosen = components.filter((name) => options.targets.length === 0 || options.targets.includes(name));
  const reports: CrashReport[] = [];
  for (const component of chosen) reports.push(await runFullDisk(options, component));
  return reports;
};

const reports = await runs();
for (const report of reports) console.log(reportText(report));
process.exit(reports.every(({ faults }) => faults.length === 0) ? 0 : 1);
