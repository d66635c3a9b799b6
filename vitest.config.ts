import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longestTestMs, patienceMs } from './test/support/patience.js';
import { SkippedReporter } from './test/support/skipped-reporter.js';

// Files share processes and with them the modules of the product, whose loading costs more than most files' tests.
// Integration tests wait a good part of their time: a third process uses what two leave of two cores.
// As few as many: the pool gives up a process that it ends twice, as it may do with one above the minimum.
const workers = {
  pool: 'forks',
  poolOptions: { forks: { isolate: false, minForks: 3, maxForks: 3 } },
} as const;

// All tests wait equally long: a test with a bound of its own is right on one machine only.
const patience = {
  testTimeout: longestTestMs,
  hookTimeout: longestTestMs,
  expect: { poll: { timeout: patienceMs, interval: 50 } },
} as const;

const withServers = {
  ...patience,
  globalSetup: 'test/support/services.ts',
  setupFiles: 'test/support/setup.ts',
} as const;

/** Random tests that `npm test` runs with few samples: how many they draw in the system tests. */
const manySamples = {
  include: [
    'test/integration/query/{pages,filter-http}.test.ts',
    'test/integration/uploads/{column-lists,folds}.test.ts',
  ],
  env: {
    PAGE_ANSWERS: '48',
    FILTER_FUZZ: '1000',
    LISTED_VERSIONS: '152',
    ASKED_VERSIONS: '1',
    COMPARED_PAIRS: 'all',
  },
};

/** Tests of many seconds in files of few lines. */
const longTests = /\/(changes-model|filling|wide-columns|broken-connection|message-size)\.test\.ts$/;

/** What was not run before is ordered by the size of its file; these begin first, so that no process waits for them at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => longTests.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Folder into which each run writes its results as JSON. */
const { TEST_RESULTS } = process.env;

export default defineConfig({
  test: {
    ...workers,
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      new SkippedReporter(),
      ...(TEST_RESULTS === undefined
        ? []
        : [['json', { outputFile: join(TEST_RESULTS, `${process.pid}.json`) }] as ['json', object]]),
    ],
    // `npm test` runs the first two, `npm run test:all` the third as well, `npm run test:long` the last.
    projects: [
      { test: { ...patience, name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      { test: { ...withServers, name: 'integration', include: ['test/integration/**/*.test.ts'] } },
      {
        test: {
          ...withServers,
          name: 'system',
          include: ['test/system/**/*.test.ts', ...manySamples.include],
          env: manySamples.env,
        },
      },
      { test: { ...withServers, name: 'long', include: ['test/long/**/*.test.ts'] } },
    ],
  },
});
