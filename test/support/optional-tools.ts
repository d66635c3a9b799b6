/**
 * Tests that need a program which the product does not need. They are skipped if it is missing; `skipped-reporter.ts`
 * prints at the end what to install.
 */
import { type TestAPI, test } from 'vitest';
import { createTaskCollector, getCurrentSuite } from 'vitest/suite';
import { findTool, type ToolName } from './tools.js';

declare module 'vitest' {
  interface TaskMeta {
    /** Missing tools for which the test was skipped. */
    missingTools?: readonly ToolName[];
  }
}

/**
 * Vitest's `test` for tests that need these tools: `const it = await testWith('chromium')`. If one is missing, the
 * tests are skipped. Hooks do not run in a file or `describe` whose tests are all skipped.
 */
export const testWith = async (...names: ToolName[]): Promise<TestAPI> => {
  const paths = await Promise.all(names.map(findTool));
  const missingTools = names.filter((_, index) => paths[index] === undefined);
  if (missingTools.length === 0) return test;
  return createTaskCollector(function skip(this: object, name: string | { name: string }) {
    const title = typeof name === 'string' ? name : name.name;
    getCurrentSuite().task(title, { ...this, skip: true, meta: { missingTools } });
  }) as TestAPI;
};
