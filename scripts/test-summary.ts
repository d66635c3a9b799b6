/**
 * Prints the summary of the test runs whose results are in a folder; fails unless all tests ran and passed.
 *
 *   vite-node scripts/test-summary.ts -- FOLDER [STEP…]   with the steps that failed: one may end before it writes results
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunResults } from '../test/support/results-reporter.js';
import { summaryOf } from '../test/support/results-summary.js';

const [folder = '', ...steps] = process.argv.slice(2);
const runs = readdirSync(folder).map(
  (file): RunResults => JSON.parse(readFileSync(join(folder, file), 'utf8')),
);
const { lines, ok } = summaryOf(runs, steps);
console.log(lines.join('\n'));
process.exitCode = ok ? 0 : 1;
