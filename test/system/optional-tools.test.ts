/** Tests that need more than the README's requirements are skipped and counted in one line. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Collected } from '../support/collect-without-tools.js';
import { root, testFiles as tests } from '../support/test-files.js';
import { viteNode } from '../support/vite-node.js';

/** Creates a folder for PATH with only `node`, `java` and `mvn`. */
const barePath = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'tabulary-path-'));
  await symlink(process.execPath, join(folder, 'node'));
  const places = (process.env.PATH ?? '').split(':');
  for (const name of ['java', 'mvn']) {
    const place = places.find((one) => existsSync(join(one, name)));
    if (place === undefined) throw new Error(`${name} is not installed`);
    await symlink(join(place, name), join(folder, name));
  }
  return folder;
};

it('with only node, java and mvn installed, tests that need optional tools are skipped and counted without starting servers', async () => {
  const files = tests.filter(({ text }) => /\btestWith\(|\bbrowserTest\b/.test(text)).map(({ name }) => name);
  const folder = await barePath();
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [viteNode, 'test/support/collect-without-tools.ts', ...files],
      { cwd: root, env: { PATH: folder, NO_COLOR: '1' }, maxBuffer: 16 * 1024 * 1024 },
    );
    const lines = stdout.trimEnd().split('\n');
    const { skipped, mixed, failed } = JSON.parse(lines.at(-1) ?? '') as Collected;
    expect(failed).toBe(0);
    // Files may have tests that would run only if they import Vitest's own `it`.
    const plain = tests.filter(({ text }) => /import \{[^}]*\bit\b[^}]*\} from 'vitest'/.test(text));
    expect(plain.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(mixed)));
    expect([...skipped, ...Object.keys(mixed)].sort()).toEqual([...files].sort());
    const summary = lines.filter((line) => line.includes('optional tool'));
    expect(summary).toHaveLength(1);
    const total = /Tests +(\d+) skipped \(\1\)/.exec(stdout)?.[1];
    expect(summary[0]).toMatch(
      new RegExp(`^${total} tests were skipped because an optional tool is missing: `),
    );
    for (const install of ['chromium, or set CHROMIUM', 'prometheus', 'openssl', 'curl'])
      expect(summary[0]).toContain(
        `apt-get install ${install.replace(/^prom/, '--no-install-recommends prom')}`,
      );
  } finally {
    await rm(folder, { recursive: true });
  }
});
