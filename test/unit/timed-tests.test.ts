/** No test depends on how fast the machine is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('..', import.meta.url));

/** Tests with a timeout of another kind, or of a random test whose length the environment sets. */
const otherTimeouts: Readonly<Record<string, string>> = {
  'unit/storage/kafka/kafkajs/encoder-patch.test.ts': 'a field of a Kafka request',
  'system/query/apply.test.ts': 'the environment sets the number of pipelines',
  'integration/query/filter-http.test.ts': 'the environment sets the number of filters',
};

const files = ['unit', 'integration', 'system'].flatMap((part) =>
  readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, part, name)),
);

/** Matches of a pattern, as `file:line`. */
const placesOf = (pattern: RegExp, except: Readonly<Record<string, string>> = {}): string[] =>
  files.flatMap((file) => {
    const name = relative(folder, file).replaceAll('\\', '/');
    if (name in except || name === 'unit/timed-tests.test.ts') return [];
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(pattern)].map(
      ({ index }) => `${name}:${text.slice(0, index).split('\n').length}`,
    );
  });

it('no test measures elapsed time', () => {
  const clock = /(?:Date|performance)\.now\(\)\s*-\s*[a-z]|hrtime|cpuUsage\(|monitorEventLoopDelay/gi;
  expect(placesOf(clock)).toEqual([]);
});

it('no test sets a timeout of its own (test/support/patience.ts has the common ones)', () => {
  const ownTime = /\btimeout: [\d_]+[, }]|\n\s*\}, \d[\d_]{4,}\);|vi\.waitFor\(/g;
  expect(placesOf(ownTime, otherTimeouts)).toEqual([]);
});

it('no test blocks its own event loop while a program runs: the runner ends a worker that is silent for a minute', () => {
  expect(placesOf(/\b(?:exec|execFile|spawn)Sync\(/g)).toEqual([]);
});

it('every exception names an existing test', () => {
  const names = files.map((file) => relative(folder, file).replaceAll('\\', '/'));
  expect(names).toEqual(expect.arrayContaining(Object.keys(otherTimeouts)));
});
