/** Finds the commit that is built. Files of the repository are read directly, since a machine that builds may not have git. */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

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

/** In a further worktree `.git` is a file that names the folder of the repository. */
const gitFolder = (root) => {
  const found = join(root, '.git');
  return statSync(found).isDirectory() ? found : resolve(root, read(found).replace(/^gitdir: /, ''));
};

const ofRepository = (root) => {
  const folder = gitFolder(root);
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

/**
 * Id of the commit: that of `COMMIT`, or of the git repository in this folder; `unknown` without both, as in an archive of the source or an
 * image that is built without COMMIT.
 */
export const commitId = (root) => {
  const isRepository = statSync(join(root, '.git'), { throwIfNoEntry: false }) !== undefined;
  return process.env.COMMIT?.trim() || (isRepository ? ofRepository(root) : 'unknown');
};
