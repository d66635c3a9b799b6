/**
 * Disrupts the product at random times during uploads, then checks every process.
 *
 *   npm run test:crash -- --cycles 200 [--seed S] [--minutes M] [--apis 2] [--workers 3] [--clients 3]
 *                         [--largest-mb 30] [--longest-stop-ms 15000] [--targets kafka,worker]
 *   npm run test:crash -- --scenario rolling --cycles 10 …      restarts every process in turn, 10 times
 *   npm run test:crash -- --scenario full-disk [--targets clickhouse,kafka,postgres] …      as root
 */
import { commandOptions, namesIn, newSeed } from '../harness/command.js';
import { components } from '../harness/deployment.js';
import { type CrashOptions, type CrashReport, runCrash } from './crash-run.js';
import { runFullDisk } from './full-disk.js';
import { reportText } from './report.js';
import { runRolling } from './rolling.js';

const bytesPerRow = 45;

const { number, text } = commandOptions({
  cycles: '20',
  seed: newSeed(),
  minutes: '600',
  apis: '2',
  workers: '2',
  clients: '3',
  datasets: '5',
  'largest-mb': '30',
  'longest-stop-ms': '15000',
  targets: '',
  scenario: 'blows',
});

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
  targets: namesIn(text('targets')),
  say: (line) => console.log(line),
};

const runs = async (): Promise<CrashReport[]> => {
  if (text('scenario') === 'blows') return [await runCrash(options)];
  if (text('scenario') === 'rolling') return [await runRolling(options)];
  if (text('scenario') !== 'full-disk') throw new RangeError(`unknown scenario ${text('scenario')}`);
  const chosen = components.filter((name) => options.targets.length === 0 || options.targets.includes(name));
  const reports: CrashReport[] = [];
  for (const component of chosen) reports.push(await runFullDisk(options, component));
  return reports;
};

const reports = await runs();
for (const report of reports) console.log(reportText(report));
process.exit(reports.every(({ faults }) => faults.length === 0) ? 0 : 1);
