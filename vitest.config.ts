import { defineConfig } from 'vitest/config';
import { longestTestMs, patienceMs } from './test/support/patience.js';
import { SkippedReporter } from './test/support/skipped-reporter.js';

// Integration tests wait a good part of their time: a third file uses what two leave of two cores.
const workers = { pool: 'forks', maxWorkers: 3, minWorkers: 1 } as const;

// One place for them: a test that names a time of its own is right on one machine only.
const patience = {
  testTimeout: longestTestMs,
  hookTimeout: longestTestMs,
  expect: { poll: { timeout: patienceMs, interval: 50 } },
} as const;

export default defineConfig({
  test: {
    ...workers,
    reporters: ['default', new SkippedReporter()],
    projects: [
      {
        test: { ...patience, name: 'unit', include: ['test/unit/**/*.test.ts'] },
      },
      {
        // Minutes of many processes each: `npm run test:long`.
        test: {
          ...patience,
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          globalSetup: ['test/support/services.ts'],
        },
      },
      {
        test: {
          ...patience,
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: ['test/support/services.ts'],
        },
      },
    ],
  },
});
