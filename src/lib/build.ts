import { readFileSync } from 'node:fs';
import { projectPath } from './project-path.js';

/** Identity of the running code. */
export interface Build {
  /** Version of the package. */
  readonly version: string;
  /** Full id of the commit that was built; `unknown` outside a repository and without `COMMIT`. */
  readonly commit: string;
}

const read = (file: string): string => readFileSync(projectPath(file), 'utf8');

const builtCommit = (): string => {
  try {
    return read('dist/commit.txt').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'unknown';
    throw error;
  }
};

export const build: Build = {
  version: (JSON.parse(read('package.json')) as { version: string }).version,
  commit: builtCommit(),
};

/** Output of `--version`. */
export const versionText = `${build.version} (${build.commit})`;
