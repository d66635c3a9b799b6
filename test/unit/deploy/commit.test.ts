import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const script = new URL('../../../scripts/commit.mjs', import.meta.url).href;
const program = `import { commitId } from '${script}'; console.log(commitId(process.argv[1]));`;
const folder = mkdtempSync(join(tmpdir(), 'tabulary-commit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [one, other] = ['1'.repeat(40), '2'.repeat(40)];
let count = 0;

/** Commit of a folder with these files, without git on PATH. */
const commitOf = async (
  files: Record<string, string>,
  env: Record<string, string> = {},
  below = '.',
): Promise<string> => {
  count += 1;
  const root = join(folder, String(count));
  mkdirSync(join(root, below), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), `${text}\n`);
  }
  const words = ['--input-type=module', '-e', program, join(root, below)];
  const { stdout } = await promisify(execFile)(process.execPath, words, { env: { PATH: '', ...env } });
  return stdout;
};

describe('the commit of a build is found without git', () => {
  const onMain = { '.git/HEAD': 'ref: refs/heads/main' };
  it.each([
    [
      'on a branch',
      { ...onMain, '.git/refs/heads/main': one, '.git/packed-refs': `${other} refs/heads/main` },
      one,
    ],
    [
      'on a packed branch',
      { ...onMain, '.git/packed-refs': `# pack\n${other} refs/heads/x/main\n${one} refs/heads/main` },
      one,
    ],
    ['on a detached HEAD', { '.git/HEAD': one }, one],
    ['in a repository without a commit, as unknown', onMain, 'unknown'],
    ['outside of a repository, as unknown', {}, 'unknown'],
  ])('%s', async (_, files: Record<string, string>, expected) => {
    expect(await commitOf(files)).toBe(`${expected}\n`);
  });

  it('in a linked worktree', async () => {
    const files = {
      'main/.git/worktrees/w/HEAD': 'ref: refs/heads/w',
      'main/.git/worktrees/w/commondir': '../..',
      'main/.git/refs/heads/w': one,
      'w/.git': 'gitdir: ../main/.git/worktrees/w',
    };
    expect(await commitOf(files, {}, 'w')).toBe(`${one}\n`);
  });

  it('from COMMIT if that is set', async () => {
    expect(await commitOf({ '.git/HEAD': one }, { COMMIT: other })).toBe(`${other}\n`);
    expect(await commitOf({ '.git/HEAD': one }, { COMMIT: '' })).toBe(`${one}\n`);
  });
});
