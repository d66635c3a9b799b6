import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { longestTestMs } from '../support/patience.js';

/** Runs the unit tests that `run.ts` selects. */
export default defineConfig({
  resolve: { alias: { 'fast-check': fileURLToPath(new URL('../support/few-samples.ts', import.meta.url)) } },
  test: { include: (process.env.MUTATION_TESTS ?? '').split(' '), testTimeout: longestTestMs },
});
