import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { SerializedError, TestError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

export interface Failure {
  readonly test: string;
  /** File, with the line if the stack of the error has one. */
  readonly at: string;
  /** Message and diff: `-` expected, `+` received. */
  readonly lines: readonly string[];
}

/** Results of a test run; `.ci/run` adds them up. */
export interface RunResults {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
}

/** Room for a message with the state of the servers, which cannot be looked up after a run in CI. */
const longestLine = 900;
const messageLines = 4;
const differenceLines = 16;

const linesOf = (text: string): string[] =>
  stripVTControlCharacters(text)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)} …` : line));

/** Lines of a diff without its context. */
const changedLines = (diff: string): string[] => {
  const lines = linesOf(diff).filter(
    (line) => /^[-+]/.test(line) && !/^[-+] (?:Expected|Received)\b/.test(line),
  );
  const shown = lines.slice(0, differenceLines).map((line) => line.replace(/^([-+])\s+/, '$1 '));
  return shown.length === lines.length
    ? shown
    : [...shown, `… and ${lines.length - shown.length} more lines`];
};

/** First frame of the stack in a file of the project. */
const positionOf = ({ stack = '' }: SerializedError, file: string): string => {
  const frames = linesOf(stack).flatMap((line) => /^\s+at .*?([^\s(]+:\d+):\d+\)?$/.exec(line)?.[1] ?? []);
  const own = frames.find((frame) => !/node_modules|node:/.test(frame));
  return own === undefined ? file : relative('', own.replace(/^file:\/\//, ''));
};

/** Summarizes an error in a few lines. For `expect.poll` the cause has the last comparison. */
export const explain = (error: TestError): string[] => {
  const { cause } = error;
  const diff = changedLines(cause?.diff ?? error.diff ?? '');
  // The message of a comparison repeats the diff.
  const length = diff.length > 0 ? 1 : messageLines;
  return [
    ...linesOf(error.message).slice(0, length),
    ...(cause === undefined ? [] : linesOf(`cause: ${cause.message}`).slice(0, length)),
    ...diff,
  ];
};

const failureOf =
  (test: string, file: string) =>
  (error: SerializedError): Failure => ({ test, at: positionOf(error, file), lines: explain(error) });

const failuresOf = (module: TestModule): Failure[] => {
  const file = relative('', module.moduleId);
  // Errors of the file and of its hooks; the tests then count as skipped.
  const suites = [module, ...module.children.allSuites()];
  const outside = suites.flatMap((suite) =>
    suite.errors().map(failureOf(`${file}, outside of its tests`, file)),
  );
  const tests = [...module.children.allTests('failed')].map((test) => {
    const [first, ...others] = (test.result().errors ?? []).map(failureOf(test.fullName, file));
    if (first === undefined) return { test: test.fullName, at: file, lines: [] };
    return { ...first, lines: [first, ...others].flatMap(({ lines }) => lines) };
  });
  return [...outside, ...tests];
};

const resultsOf = (modules: readonly TestModule[], unhandled: readonly SerializedError[]): RunResults => {
  const count = (state: 'passed' | 'skipped'): number =>
    modules.reduce((sum, { children }) => sum + [...children.allTests(state)].length, 0);
  const failures = [
    ...modules.flatMap(failuresOf),
    ...unhandled.map(failureOf('an error outside of all tests', '')),
  ];
  return { passed: count('passed'), failed: failures.length, skipped: count('skipped'), failures };
};

/** Writes the results of a run to a file. */
export class ResultsReporter implements Reporter {
  constructor(private readonly file: string) {}

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    writeFileSync(this.file, JSON.stringify(resultsOf(modules, unhandled)));
  }
}
