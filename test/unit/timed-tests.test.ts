/** No test depends on how fast the machine is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('..', import.meta.url));

/** Tests that may read a clock twice, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'integration/gateway/search.test.ts': 'a ratio of two medians, measured in turns',
};

/** A time of its own that is none of the test's. */
const otherTimeouts: Readonly<Record<string, string>> = {
  'unit/storage/kafka/kafkajs/encoder-patch.test.ts': 'a field of a request of Kafka',
  'system/query/apply.test.ts': 'as many pipelines as the environment asks for',
  'integration/query/filter-http.test.ts': 'as many filters as the environment asks for',
};

const files = ['unit', 'integration', 'system'].flatMap((part) =>
  readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, part, name)),
);

/** Places of a pattern, as `file:line`. */
const placesOf = (pattern: RegExp, but: Readonly<Record<string, string>>): string[] =>
  files.flatMap((file) => {
    const name = relative(folder, file).replaceAll('\\', '/');
    if (name in but || name === 'unit/timed-tests.test.ts') return [];
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(pattern)].map(
      ({ index }) => `${name}:${text.slice(0, index).split('\n').length}`,
    );
  });

it('no test measures how long something takes', () => {
  const clock = /(?:Date|performance)\.now\(\)\s*-\s*[a-z]|hrtime|cpuUsage\(|monitorEventLoopDelay/gi;
  expect(placesOf(clock, exceptions)).toEqual([]);
});

it('tests wait as long as all others do (test/support/patience.ts)', () => {
  const ownTime = /\btimeout: [\d_]+[, }]|\n\s*\}, \d[\d_]{4,}\);|vi\.waitFor\(/g;
  expect(placesOf(ownTime, otherTimeouts)).toEqual([]);
});

it('no test blocks its own event loop while a program runs: the runner ends a worker that is silent for a minute', () => {
  expect(placesOf(/\b(?:exec|execFile|spawn)Sync\(/g, {})).toEqual([]);
});

it('an exception is a test that there is', () => {
  const names = files.map((file) => relative(folder, file).replaceAll('\\', '/'));
  expect(names).toEqual(expect.arrayContaining([...Object.keys(exceptions), ...Object.keys(otherTimeouts)]));
});
