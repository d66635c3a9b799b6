import { describe, expect, it } from 'vitest';
import { explain } from '../support/results-reporter.js';
import { summaryOf } from '../support/results-summary.js';

const failure = (test: string, lines: readonly string[]) => ({ test, at: 'test/unit/a.test.ts:3', lines });

describe('the explanation of an error', () => {
  it('lists the lines that differ, without colours', () => {
    const diff =
      '\u001b[32m- Expected\u001b[39m\n\u001b[31m+ Received\u001b[39m\n\n  Object {\n    "a": 1,\n\u001b[32m-   "b": 2,\u001b[39m\n\u001b[31m+   "b": 3,\u001b[39m\n  }';
    expect(explain({ message: 'expected {…} to deeply equal {…}\nmore', diff })).toEqual([
      'expected {…} to deeply equal {…}',
      '- "b": 2,',
      '+ "b": 3,',
    ]);
  });

  it('is limited in the number and length of its lines', () => {
    const diff = Array.from({ length: 500 }, (_, at) => `+ ${at} ${'x'.repeat(2_000)}`).join('\n');
    const lines = explain({ message: 'different', diff });
    expect(lines).toHaveLength(18);
    expect(lines.at(-1)).toBe('… and 484 more lines');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1_000);
  });

  it('includes the last comparison of a poll', () => {
    const cause = { message: 'expected 3 to be 4', diff: '- Expected\n+ Received\n\n- 4\n+ 3' };
    const lines = explain({ message: 'Matcher did not succeed in time.', cause } as Parameters<
      typeof explain
    >[0]);
    expect(lines).toEqual(['Matcher did not succeed in time.', 'cause: expected 3 to be 4', '- 4', '+ 3']);
  });
});

describe('the summary of several runs', () => {
  it('adds up what passed, failed and was skipped', () => {
    const runs = [
      { passed: 5, failed: 0, skipped: 0, failures: [] },
      {
        passed: 7,
        failed: 1,
        skipped: 2,
        failures: [failure('fails', ['expected 3 to be 4', '- 4', '+ 3'])],
      },
    ];
    expect(summaryOf(runs)).toEqual({
      lines: [
        'FAILED test/unit/a.test.ts:3: fails',
        '  expected 3 to be 4',
        '  - 4',
        '  + 3',
        '12 passed, 1 failed, 2 skipped',
      ],
      ok: false,
    });
  });

  it('names a step that ended before it wrote results', () => {
    const run = { passed: 1, failed: 0, skipped: 0, failures: [] };
    expect(summaryOf([run], ['npm test (exit code 137)'])).toEqual({
      lines: ['FAILED step: npm test (exit code 137)', '1 passed, 0 failed, 0 skipped'],
      ok: false,
    });
  });

  it('fits into thirty lines, and gives long failures the lines that short ones do not need', () => {
    const long = failure(
      'long',
      Array.from({ length: 40 }, (_, at) => `line ${at}`),
    );
    const failures = [failure('short', ['no server']), long, long, long];
    const { lines } = summaryOf([{ passed: 1, failed: 4, skipped: 0, failures }]);
    expect(lines).toHaveLength(26);
    expect(lines.filter((line) => line.startsWith('FAILED'))).toHaveLength(4);
  });

  it('names every failed test, however many there are', () => {
    const failures = Array.from({ length: 100 }, (_, at) => failure(`test ${at}`, ['why']));
    expect(summaryOf([{ passed: 1, failed: 100, skipped: 0, failures }]).lines).toHaveLength(101);
  });

  it.each([
    [{ passed: 1, failed: 0, skipped: 0 }, true],
    [{ passed: 1, failed: 0, skipped: 1 }, false],
    [{ passed: 0, failed: 0, skipped: 0 }, false],
  ])('accepts %o: %s', (counts, ok) => {
    expect(summaryOf([{ ...counts, failures: [] }]).ok).toBe(ok);
  });
});
