/** Writes the id of the commit that is built to `dist/commit.txt`: that of `COMMIT`, or of the git repository. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const [target = 'dist/commit.txt'] = process.argv.slice(2);

const ofRepository = () => {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    // No git, or no repository: an archive of the source, or an image that is built without COMMIT.
    return 'unknown';
  }
};

writeFileSync(target, `${(process.env.COMMIT || ofRepository()).trim()}\n`);
