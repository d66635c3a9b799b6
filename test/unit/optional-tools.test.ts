import { expect, it } from 'vitest';
import { skippedLine } from '../support/skipped-reporter.js';
import { testSources, testFiles as tests } from '../support/test-files.js';

/** Programs that are called by their names, and why they need not be declared. */
const undeclared: readonly string[] = [
  // Only on systems without /proc, all of which have it.
  'test/system/embedded/harness.ts: ps',
];

it('tests run other programs only through testWith and programOf', () => {
  const calls =
    /\b(?:run|startProgram|spawn(?:Sync)?|exec(?:File)?(?:Sync)?|promisify\(execFile\))\(\s*['"`](promtool|chromium|nginx|haproxy|caddy|envoy|openssl|bash|curl|python3?|Rscript|R|soffice|git|helm|docker|lsof|pgrep|ps|tar|gzip|npm|npx)['"`]/g;
  const direct = testSources.flatMap(({ name, text }) =>
    [...text.matchAll(calls)].map(([, program]) => `${name}: ${program}`),
  );
  expect(direct).toEqual(undeclared);
  const unguarded = tests.filter(
    ({ text }) =>
      // Scripts of the project run other programs, too.
      /\b(?:programOf|startStage|expectToFire)\(|\(['"`][\w./-]+\.sh['"`]\)\)/.test(text) &&
      !/\b(?:testWith\(|browserTest\b)/.test(text),
  );
  expect(unguarded.map(({ name }) => name)).toEqual([]);
});

it('the closing line counts tests, and each tool that they lack', () => {
  expect(skippedLine([])).toBe('');
  expect(skippedLine([['haproxy']])).toBe(
    '1 test was skipped because an optional tool is missing: haproxy for 1 (apt-get install haproxy)',
  );
  expect(skippedLine([['bash', 'curl'], ['curl']])).toBe(
    '2 tests were skipped because an optional tool is missing: bash for 1 (apt-get install bash); curl for 2 (apt-get install curl)',
  );
});
