import { expect, it } from 'vitest';
import { skippedLine } from '../support/skipped-reporter.js';
import { testSources, testFiles as tests } from '../support/test-files.js';

/** Direct calls of programs that need no declaration, with the reason. */
const undeclared: readonly string[] = [
  // Called only on systems without /proc, which always have it.
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
      // Shell scripts of the project run other programs as well.
      /\b(?:programOf|startStage|expectToFire)\(|\(['"`][\w./-]+\.sh['"`]\)\)/.test(text) &&
      !/\b(?:testWith\(|browserTest\b)/.test(text),
  );
  expect(unguarded.map(({ name }) => name)).toEqual([]);
});

it('the final line counts skipped tests, by missing tool', () => {
  expect(skippedLine([])).toBe('');
  expect(skippedLine([['haproxy']])).toBe(
    '1 test was skipped because an optional tool is missing: haproxy for 1 (apt-get install haproxy)',
  );
  expect(skippedLine([['bash', 'curl'], ['curl']])).toBe(
    '2 tests were skipped because an optional tool is missing: bash for 1 (apt-get install bash); curl for 2 (apt-get install curl)',
  );
});
