// Reads what vitest wrote as JSON.
//   failed FIRST           the files that failed, a line each
//   summary FIRST [AGAIN]  what failed at first and passed when its file ran again; the last line tells the numbers of tests
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [command, ...reports] = process.argv.slice(2);
const [first, again = []] = reports.map((path) => JSON.parse(readFileSync(path, 'utf8')).testResults);
const failedIn = (results) => results.filter(({ status }) => status === 'failed');
const testsOf = (files) =>
  files.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({ name: `${relative('.', name)}: ${fullName}`, status })),
  );

if (command === 'failed') for (const { name } of failedIn(first)) console.log(relative('.', name));
else {
  const repeated = new Set(again.map(({ name }) => name));
  const files = [...first.filter(({ name }) => !repeated.has(name)), ...again];
  const tests = testsOf(files);
  const stillFailed = new Set(failedIn(tests).map(({ name }) => name));
  for (const { name } of failedIn(testsOf(first)))
    if (!stillFailed.has(name)) console.log(`passed only when its file ran again: ${name}`);
  // A file may fail before its first test.
  const failed = failedIn(files).reduce(
    (sum, { assertionResults }) => sum + Math.max(1, failedIn(assertionResults).length),
    0,
  );
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const skipped = tests.length - passed - failedIn(tests).length;
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed === 0 ? 0 : 1;
}
