/**
 * Attacks a fresh product and reports the effect on another account.
 *
 *   npm run test:attack -- [--minutes 10] [--only name,name] [--short] [--out table.md]
 *
 * `--minutes` (10, or 1 with `--short`) is shared among the attacks. Exits with 1 if a process died, the victim got an error, or API
 * or worker exceeded their memory limit; ratios are only reported.
 */
import { writeFileSync } from 'node:fs';
import { commandOptions, namesIn } from '../harness/command.js';
import { runAttacks, startAttackedProduct } from './attack-run.js';
import { attackNamed, attacks } from './attacks.js';
import { reportText } from './report.js';

const { number, text, isSet } = commandOptions({ minutes: '', only: '', short: false, out: '' });
const short = isSet('short');
const only = text('only') === '' ? undefined : namesIn(text('only'));
for (const name of only ?? []) attackNamed(name);
const minutes = text('minutes') === '' ? (short ? 1 : 10) : number('minutes');

const product = await startAttackedProduct();
let failed = true;
try {
  const report = await runAttacks(product, {
    only,
    short,
    seconds: Math.max(2, (minutes * 60) / (only ?? attacks).length),
    uploadBytes: short ? 2e6 : 22e6,
    say: (line) => console.log(line),
  });
  const table = reportText(report);
  console.log(`\n${table}`);
  if (text('out') !== '') writeFileSync(text('out'), `${table}\n`);
  failed = report.outcomes.some(({ failures }) => failures.length > 0);
} finally {
  await product.stop();
}
process.exit(failed ? 1 : 0);
