import type { Failure, RunResults } from './results-reporter.js';

/** Limit for all failures together, since CI often shows only the end of a log. */
const maxLines = 25;

/** Divides the lines among the failures; each has at least its title. */
const linesOf = (failures: readonly Failure[]): string[] => {
  const shown: string[] = [];
  for (const [index, { at, test, lines }] of failures.entries()) {
    const share = Math.floor((maxLines - shown.length) / (failures.length - index));
    shown.push(
      ...[`FAILED ${at}: ${test}`, ...lines.map((line) => `  ${line}`)].slice(0, Math.max(1, share)),
    );
  }
  return shown;
};

/**
 * Summarizes the failures of several runs; the last line has the totals.
 * @param steps failed steps of the build
 */
export const summaryOf = (
  runs: readonly RunResults[],
  steps: readonly string[] = [],
): { readonly lines: string[]; readonly ok: boolean } => {
  const sum = (key: 'passed' | 'failed' | 'skipped'): number =>
    runs.reduce((total, run) => total + run[key], 0);
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
  return {
    lines: [
      ...steps.map((step) => `FAILED step: ${step}`),
      ...linesOf(runs.flatMap(({ failures }) => failures)),
      `${passed} passed, ${failed} failed, ${skipped} skipped`,
    ],
    ok: steps.length === 0 && passed > 0 && failed === 0 && skipped === 0,
  };
};
