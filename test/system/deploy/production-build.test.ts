import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { buildPrograms } from '../../../scripts/build.mjs';
import { projectFile } from '../../unit/deploy/compose-file.js';

const run = promisify(execFile);
const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

it('the production build lacks the embedded servers of npm start, and its programs run', async () => {
  expect(projectFile('Dockerfile')).toContain('RUN npm run build:production');
  // Inside node_modules, so that the programs find their packages.
  const out = join(projectRoot, 'node_modules/.cache', `production-${process.pid}`);
  try {
    await buildPrograms({ folder: join(out, 'dist'), production: true });
    for (const excluded of ['embedded', 'main.js'])
      expect(existsSync(join(out, 'dist', excluded)), excluded).toBe(false);
    for (const name of readdirSync(join(out, 'dist')))
      expect(readFileSync(join(out, 'dist', name), 'utf8'), name).not.toContain('src/embedded/');
    // Files that the image copies in addition to the programs.
    const lastStage =
      projectFile('Dockerfile')
        .split(/^FROM /m)
        .at(-1) ?? '';
    const copied = [...lastStage.matchAll(/^COPY (\w+) \.\/\1$/gm)].map(([, name = '']) => name);
    expect(copied).toContain('migrations');
    for (const name of ['package.json', ...copied])
      cpSync(join(projectRoot, name), join(out, name), { recursive: true });
    for (const program of ['api', 'worker', 'migrate', 'admin'])
      expect((await run(process.execPath, [join(out, 'dist', `${program}.js`), '--version'])).stdout).toMatch(
        /^\d+\.\d+\.\d+/,
      );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
});
