/**
 * Collects test files without any server and runs those whose tests are all skipped.
 * Prints the reporters' output, then a line of JSON.
 *
 *   vite-node test/support/collect-without-tools.ts FILE …
 */
import { relative } from 'node:path';
import { createVitest } from 'vitest/node';
import { SkippedReporter } from './skipped-reporter.js';

export interface Collected {
  /** Files all of whose tests are skipped. */
  readonly skipped: readonly string[];
  /** Number of tests that would run, by file. */
  readonly mixed: Readonly<Record<string, number>>;
  readonly failed: number;
}

const vitest = await createVitest('test', {
  config: false,
  watch: false,
  include: process.argv.slice(2).filter((argument) => argument.endsWith('.test.ts')),
  reporters: ['default', new SkippedReporter()],
  // A single process loads the product's modules once.
  pool: 'forks',
  isolate: false,
  poolOptions: { forks: { singleFork: true } },
});
const collected = await vitest.collect();
const counts = collected.testModules.map(({ moduleId, children }) => ({
  name: relative(vitest.config.root, moduleId),
  runs: [...children.allTests()].filter(({ options }) => options.mode === 'run').length,
}));
const skipped = counts.flatMap(({ name, runs }) => (runs === 0 ? [name] : []));
const ran = skipped.length === 0 ? undefined : await vitest.start(skipped);
await vitest.close();
const result: Collected = {
  skipped,
  mixed: Object.fromEntries(counts.flatMap(({ name, runs }) => (runs > 0 ? [[name, runs]] : []))),
  failed:
    collected.unhandledErrors.length +
    [...collected.testModules, ...(ran?.testModules ?? [])].filter((module) => module.errors().length > 0)
      .length,
};
console.log(`\n${JSON.stringify(result)}`);
