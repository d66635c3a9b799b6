/**
 * Writes the id of the commit that is built to `dist/commit.txt`: that of `COMMIT`, or of the git repository in this folder.
 * Its files are read directly, since a machine that builds may not have git.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [target = 'dist/commit.txt'] = process.argv.slice(2);

const read = (...path) => readFileSync(join(...path), 'utf8').trim();

/** The content of a file, or undefined if there is none. */
const readIfThere = (...path) => {
  try {
    return read(...path);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Folder of the repository. In a further worktree `.git` is a file that names it. */
const gitFolder = () => (statSync('.git').isDirectory() ? '.git' : read('.git').replace(/^gitdir: /, ''));

const ofRepository = () => {
  const folder = gitFolder();
  const head = read(folder, 'HEAD');
  if (!head.startsWith('ref: ')) return head;
  const branch = head.slice('ref: '.length);
  // Worktrees share the branches of one repository.
  const shared = resolve(folder, readIfThere(folder, 'commondir') ?? '.');
  const packed = () =>
    readIfThere(shared, 'packed-refs')
      ?.split('\n')
      .find((line) => line.endsWith(` ${branch}`))
      ?.split(' ')[0];
  return readIfThere(shared, branch) ?? packed() ?? 'unknown';
};

const isRepository = statSync('.git', { throwIfNoEntry: false }) !== undefined;
// Without a repository: an archive of the source, or an image that is built without COMMIT.
writeFileSync(target, `${process.env.COMMIT?.trim() || (isRepository ? ofRepository() : 'unknown')}\n`);
