/**
 * Tests that need a program which the product does not. They are skipped where it is missing, and `skipped-reporter.ts` says
 * at the end what to install.
 */
import { type TestAPI, test } from 'vitest';
import { createTaskCollector, getCurrentSuite } from 'vitest/suite';
import { findTool, type ToolName } from './tools.js';

declare module 'vitest' {
  interface TaskMeta {
    /** Tools for want of which the test is skipped. */
    missingTools?: readonly ToolName[];
  }
}

/**
 * Vitest's `test` for tests that need these tools: `const it = await testWith('chromium')`. Where one is missing, the
 * tests are skipped. Hooks of a file or `describe` all of whose tests are skipped do not run.
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
