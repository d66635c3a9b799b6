import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longestTestMs, patienceMs } from './test/support/patience.js';
import { ResultsReporter } from './test/support/results-reporter.js';
import { SkippedReporter } from './test/support/skipped-reporter.js';

// Files share processes and with them the modules of the product, whose loading costs more than most files' tests.
// Two processes with their servers keep two cores busy; a third one makes every test slower, and the run no shorter.
// As few as many: the pool gives up a process that it ends twice, as it may do with one above the minimum.
const workers = {
  pool: 'forks',
  poolOptions: { forks: { isolate: false, minForks: 2, maxForks: 2 } },
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

/** Random tests, and how many samples they draw in `npm run test:long`; elsewhere they draw the first of these. */
const manySamples = {
  include: [
    'test/integration/query/{pages,filter-http,download-http}.test.ts',
    'test/integration/uploads/{column-lists,folds}.test.ts',
    'test/system/cluster/changes.test.ts',
    'test/system/hostile/changes-crash.test.ts',
    'test/system/query/{apply,patched-reads}.test.ts',
    'test/system/uploads/{changes-model,digits}.test.ts',
  ],
  env: {
    PAGE_ANSWERS: '48',
    FILTER_FUZZ: '1000',
    OPTION_COMBINATIONS: '1000',
    LISTED_VERSIONS: '152',
    ASKED_VERSIONS: '1',
    COMPARED_PAIRS: 'all',
    APPLY_PIPELINES: '1500',
    CHANGE_DATASETS: '96',
    CLUSTER_DATASETS: '16',
    DIGIT_SEEDS: '24',
    KILLED_STEPS: 'all',
  },
};

/** Tests of many seconds in files of few lines. */
const longTests =
  /\/(attacks|crash|concurrency|changes|changes-model|changes-crash|jobs-crash|wide-columns|broken-connection|message-size)\.test\.ts$/;

/** What was not run before is ordered by the size of its file; these begin first, so that no process waits for them at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => longTests.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** What depends on Node: streams, HTTP, compression, text. The SQL of questions, documents and the web app are the same on each. */
const dependsOnNode = [
  'test/unit/{catalog,csv,embedded,exports,gateway,http,jobs,lib,mcp,model,odata,providers,query,rows,storage,uploads,versions}/**/*.test.ts',
  'test/integration/{http,exports}/**/*.test.ts',
  'test/integration/query/{downloads,download-http,cut-reads,heavy-queries,priority,result-cache,sheets}.test.ts',
  'test/integration/uploads/{upload,upload-tables}.test.ts',
  'test/system/{query/broken-reads,http/proxies,uploads/upload-replay}.test.ts',
];

/**
 * TEST_RESULTS: folder into which each run writes its results.
 * OTHER_NODES: adds the project that `.ci/nodes` runs, which has files of the others a second time.
 */
const { TEST_RESULTS, OTHER_NODES } = process.env;

export default defineConfig({
  test: {
    ...workers,
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      new SkippedReporter(),
      ...(TEST_RESULTS === undefined ? [] : [new ResultsReporter(join(TEST_RESULTS, `${process.pid}.json`))]),
    ],
    // `npm test` runs the first two, `npm run test:all` the third as well, `npm run test:long` the fourth, `.ci/nodes` the last.
    projects: [
      { test: { ...patience, name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      { test: { ...withServers, name: 'integration', include: ['test/integration/**/*.test.ts'] } },
      { test: { ...withServers, name: 'system', include: ['test/system/**/*.test.ts'] } },
      {
        test: {
          ...withServers,
          name: 'long',
          include: ['test/long/**/*.test.ts', ...manySamples.include],
          env: manySamples.env,
        },
      },
      ...(OTHER_NODES === undefined
        ? []
        : [
            {
              resolve: { alias: { 'fast-check': join(import.meta.dirname, 'test/support/few-samples.ts') } },
              test: {
                ...withServers,
                name: 'other-nodes',
                include: dependsOnNode,
                env: { MOST_SAMPLES: '200' },
              },
            },
          ]),
    ],
  },
});
