import type { Reporter, TestModule } from 'vitest/node';
import { installationOf, type ToolName } from './tools.js';

/** One line about tests that were skipped because an optional tool is missing; empty if there are none. */
export const skippedLine = (missing: readonly (readonly ToolName[])[]): string => {
  const counts = new Map<ToolName, number>();
  for (const name of missing.flat()) counts.set(name, (counts.get(name) ?? 0) + 1);
  if (counts.size === 0) return '';
  const parts = [...counts].map(([name, count]) => `${name} for ${count} (${installationOf(name)})`);
  const tests = missing.length === 1 ? '1 test was' : `${missing.length} tests were`;
  return `${tests} skipped because an optional tool is missing: ${parts.join('; ')}`;
};

export class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const missing = modules.flatMap(({ children }) =>
      [...children.allTests('skipped')].flatMap((test) => {
        const { missingTools } = test.meta();
        return missingTools === undefined ? [] : [missingTools];
      }),
    );
    const line = skippedLine(missing);
    if (line !== '') process.stdout.write(`\n${line}\n`);
  }
}
