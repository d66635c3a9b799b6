import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Collected } from '../support/collect-without-tools.js';
import { skippedLine } from '../support/skipped-reporter.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const tests = ['test/unit', 'test/integration', 'test/system', 'test/long'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && name !== 'optional-tools.test.ts')
    .map((name) => ({ name: `${folder}/${name.replaceAll('\\', '/')}` }))
    .map(({ name }) => ({ name, text: readFileSync(join(root, name), 'utf8') })),
);

/** A PATH of `node`, `java` and `mvn` alone. */
const barePath = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'tabulary-path-'));
  await symlink(process.execPath, join(folder, 'node'));
  for (const name of ['java', 'mvn'])
    for (const place of (process.env.PATH ?? '').split(':'))
      await symlink(join(place, name), join(folder, name)).catch(() => undefined);
  return folder;
};

it('tests run other programs only through testWith and programOf', () => {
  const calls =
    /\b(?:run|spawn|execFile|promisify\(execFile\))\(\s*['"`](promtool|chromium|nginx|haproxy|caddy|envoy|openssl|bash|curl|python3?|Rscript|R|soffice|git|helm|docker|lsof|ps|tar)['"`]/g;
  const direct = tests.flatMap(({ name, text }) =>
    [...text.matchAll(calls)].map(([, program]) => `${name}: ${program}`),
  );
  expect(direct).toEqual([]);
  const unguarded = tests.filter(
    ({ text }) =>
      /\b(?:programOf|startStage|expectToFire)\(/.test(text) && !/\b(?:testWith\(|browserTest\b)/.test(text),
  );
  expect(unguarded.map(({ name }) => name)).toEqual([]);
});

it('tests are skipped and counted on a machine with node, java and mvn alone, before anything starts', async () => {
  const files = tests.filter(({ text }) => /\btestWith\(|\bbrowserTest\b/.test(text)).map(({ name }) => name);
  const folder = await barePath();
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['node_modules/vite-node/vite-node.mjs', 'test/support/collect-without-tools.ts', ...files],
      { cwd: root, env: { PATH: folder, NO_COLOR: '1' }, maxBuffer: 16 * 1024 * 1024 },
    );
    const lines = stdout.trimEnd().split('\n');
    const { skipped, mixed, failed } = JSON.parse(lines.at(-1) ?? '') as Collected;
    expect(failed).toBe(0);
    // A test that would run is one that needs no tool, made by Vitest's own `it`.
    const plain = tests.filter(({ text }) => /import \{[^}]*\bit\b[^}]*\} from 'vitest'/.test(text));
    expect(plain.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(mixed)));
    expect([...skipped, ...Object.keys(mixed)].sort()).toEqual([...files].sort());
    const closing = lines.filter((line) => line.includes('optional tool'));
    expect(closing).toHaveLength(1);
    const total = /Tests +(\d+) skipped \(\1\)/.exec(stdout)?.[1];
    expect(closing[0]).toMatch(
      new RegExp(`^${total} tests were skipped because an optional tool is missing: `),
    );
    for (const install of ['chromium, or set CHROMIUM', 'prometheus', 'openssl', 'curl'])
      expect(closing[0]).toContain(
        `apt-get install ${install.replace(/^prom/, '--no-install-recommends prom')}`,
      );
  } finally {
    await rm(folder, { recursive: true });
  }
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
