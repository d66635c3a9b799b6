import { defineConfig } from 'vitest/config';

// Integration tests wait a good part of their time: a third file uses what two leave of two cores.
const workers = { pool: 'forks', maxWorkers: 3, minWorkers: 1 } as const;

export default defineConfig({
  test: {
    ...workers,
    projects: [
      {
        test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 60_000 },
      },
      {
        // Minutes of many processes each: `npm run test:long`.
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          globalSetup: ['test/support/services.ts'],
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: ['test/support/services.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
