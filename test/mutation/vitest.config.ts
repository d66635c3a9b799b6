import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { longestTestMs } from '../support/patience.js';

/** Unit tests of one room, as `run.ts` names them. */
export default defineConfig({
  resolve: { alias: { 'fast-check': fileURLToPath(new URL('../support/few-samples.ts', import.meta.url)) } },
  test: { include: (process.env.MUTATION_TESTS ?? '').split(' '), testTimeout: longestTestMs },
});
