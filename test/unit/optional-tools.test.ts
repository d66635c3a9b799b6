import { expect, it } from 'vitest';
import { skippedLine } from '../support/skipped-reporter.js';
import { testFiles as tests } from '../support/test-files.js';

it('tests run other programs only through testWith and programOf', () => {
  const calls =
    /\b(?:run|spawn|execFile|promisify\(execFile\))\(\s*['"`](promtool|chromium|nginx|haproxy|caddy|envoy|openssl|bash|curl|python3?|Rscript|R|soffice|git|helm|docker|lsof|ps|tar)['"`]/g;
  const direct = tests.flatMap(({ name, text }) =>
    [...text.matchAll(calls)].map(([, program]) => `${name}: ${program}`),
  );
  expect(direct).toEqual([]);
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
