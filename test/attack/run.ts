/**
 * Attacks a fresh product and tells what it cost others.
 *
 *   npm run test:attack -- [--minutes 10] [--only name,name] [--short] [--out table.md]
 *
 * `--minutes` (10, short 1) is shared among the attacks. Ends with 1 when a process died, the victim met an error, or API or worker
 * took more memory than they may; ratios are only told.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runAttacks, startAttackedProduct } from './attack-run.js';
import { attackNamed, attacks } from './attacks.js';
import { reportText } from './report.js';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--' && !argument.endsWith('run.ts')),
  options: {
    minutes: { type: 'string' },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});

const minutes = Number(values.minutes ?? (values.short ? 1 : 10));
if (!Number.isFinite(minutes) || minutes <= 0) throw new RangeError('--minutes must be a number above 0');
const only = values.only?.split(',');
for (const name of only ?? []) attackNamed(name);

const product = await startAttackedProduct();
let failed = true;
try {
  const report = await runAttacks(product, {
    only,
    short: values.short,
    seconds: Math.max(2, (minutes * 60) / (only ?? attacks).length),
    uploadBytes: values.short ? 2e6 : 22e6,
    say: (line) => console.log(line),
  });
  const text = reportText(report);
  console.log(`\n${text}`);
  if (values.out !== undefined) writeFileSync(values.out, `${text}\n`);
  failed = report.outcomes.some(({ failures }) => failures.length > 0);
} finally {
  await product.stop();
}
process.exit(failed ? 1 : 0);
