/**
 * Mutation testing: mutates the code of a room and runs its unit tests for each mutant; one that no test notices survives.
 *
 *   npm run test:mutation -- [room …] [--file src/csv/header.ts] [--tests test/unit/csv/header.test.ts] [--concurrency 2]
 */
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { rooms } from './rooms.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    file: { type: 'string', multiple: true },
    /** Subset of the room's tests, to save time. */
    tests: { type: 'string', multiple: true },
    concurrency: { type: 'string', default: '2' },
  },
});

for (const name of positionals.length === 0 ? Object.keys(rooms) : positionals) {
  const room = rooms[name];
  if (room === undefined)
    throw new Error(`Unknown room ${name}; known are ${Object.keys(rooms).join(', ')}.`);
  process.env.MUTATION_TESTS = (values.tests ?? room.tests).join(' ');
  const results = await new Stryker({
    mutate: [...(values.file ?? room.mutate)],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', new URL('proved-by-types.mjs', import.meta.url).href],
    ignorers: ['proved-by-types'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // Module constants are evaluated once: each such mutant would require reloading all modules.
    ignoreStatic: true,
    concurrency: Number(values.concurrency),
    timeoutMS: 2_000,
    reporters: ['clear-text', 'progress-append-only', 'json'],
    clearTextReporter: {
      allowColor: false,
      logTests: false,
      reportTests: false,
      allowEmojis: false,
      reportMutants: true,
    },
    jsonReporter: { fileName: `.stryker-tmp/${name}.json` },
    ignorePatterns: [
      '/*',
      '!/src',
      '!/test',
      '!/package.json',
      '!/tsconfig.json',
      '!/schemas',
      '!/sources',
      '!/migrations',
      '!/docs',
    ],
    tempDirName: '.stryker-tmp',
    checkers: [],
    allowEmpty: false,
  }).runMutationTest();
  const killed = results.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const counted = results.filter(({ status }) =>
    ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status),
  ).length;
  console.log(`${name}: ${killed} of ${counted} mutants killed, ${((100 * killed) / counted).toFixed(1)} %`);
}
