/** Runs the benches in sequence, prints one table of figures and goals, and saves the figures as JSON. */
import { createLog } from '../src/lib/log.js';
import { benches } from './benches.js';
import type { BenchEntry } from './support/bench.js';
import { type BenchOptions, parseOptions, usage } from './support/options.js';
import { createProductPool } from './support/product-pool.js';
import {
  type BenchResult,
  createReport,
  mergeResults,
  type Report,
  readReport,
  writeReport,
} from './support/report.js';
import { runBench } from './support/runner.js';
import { renderSummary, renderTable } from './support/table.js';

const log = createLog('bench', 'warn', 2);
const startedAt = performance.now();
const say = (text: string): void => {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(`[${String(seconds).padStart(5)} s] ${text}\n`);
};

const chosen = ({ quick, only }: BenchOptions): readonly BenchEntry[] =>
  benches.filter(({ name, fullOnly = false }) =>
    only === undefined ? !(quick && fullOnly) : only.includes(name),
  );

const save = (path: string, mode: Report['mode'], results: readonly BenchResult[]): void =>
  writeReport(path, createReport(mode, mergeResults(readReport(path)?.results ?? [], results)));

const runAll = async (options: BenchOptions, signal: AbortSignal): Promise<BenchResult[]> => {
  const { quick, out, data } = options;
  const mode = quick ? 'quick' : 'full';
  const earlier = readReport(options.compare ?? out);
  const pool = createProductPool({ isShared: quick, dataDir: data, say, signal });
  const entries = chosen(options);
  const results: BenchResult[] = [];
  try {
    for (const [at, entry] of entries.entries()) {
      if (signal.aborted) break;
      say(`${at + 1}/${entries.length} ${entry.name}`);
      const result = await runBench(entry, { quick, pool, say, log, signal });
      results.push(result);
      if (result.failure === undefined) {
        // Saved immediately, so that an aborted run loses nothing.
        save(out, mode, [result]);
      } else {
        say(`${entry.name} failed: ${result.failure}`);
        await pool.drop();
      }
      process.stdout.write(`${renderTable([result], earlier)}\n`);
    }
  } finally {
    await pool.drop();
  }
  process.stdout.write(`\n${renderTable(results, earlier)}\n\n${renderSummary(results)}; saved to ${out}\n`);
  return results;
};

const options = parseOptions(
  process.argv.slice(2),
  benches.map(({ name }) => name),
);
if (options.help) {
  process.stdout.write(`${usage}\n\nBenches: ${benches.map(({ name }) => name).join(', ')}\n`);
  process.exit();
}
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  // Vite's handler would exit before the product is stopped.
  process.removeAllListeners(name);
  process.on(name, () => stopping.abort());
}
// Pending work of an aborted bench may still fail; later benches must run.
process.on('uncaughtException', (error) => {
  say(`uncaught exception: ${error.stack ?? error.message}`);
  process.exitCode = 1;
});
const results = await runAll(options, stopping.signal);
if (stopping.signal.aborted || results.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
// An aborted bench may have left a timer or connection that keeps the process alive.
setTimeout(() => process.exit(), 5_000).unref();
