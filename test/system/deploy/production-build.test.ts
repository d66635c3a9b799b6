import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { projectFile } from '../../unit/deploy/compose-file.js';

const run = promisify(execFile);
const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'tabulary-production-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the production build lacks the embedded servers of npm start, and its programs run', async () => {
  expect(projectFile('Dockerfile')).toContain('RUN npm run build:production');
  const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
  // Inside node_modules, so that the programs find their packages.
  const out = join(projectRoot, 'node_modules/.cache', `production-${process.pid}`);
  try {
    await run(
      process.execPath,
      [
        tsc,
        '--noCheck',
        '-p',
        'tsconfig.production.json',
        '--outDir',
        join(out, 'dist'),
        '--tsBuildInfoFile',
        join(folder, 'info'),
      ],
      { cwd: projectRoot },
    );
    for (const excluded of ['embedded', 'tour', 'main.js', 'standalone.js'])
      expect(existsSync(join(out, 'dist', excluded)), excluded).toBe(false);
    // Files that the image copies in addition to the programs.
    const lastStage =
      projectFile('Dockerfile')
        .split(/^FROM /m)
        .at(-1) ?? '';
    const copied = [...lastStage.matchAll(/^COPY (\w+) \.\/\1$/gm)].map(([, name = '']) => name);
    expect(copied).toContain('migrations');
    for (const name of ['package.json', ...copied])
      cpSync(join(projectRoot, name), join(out, name), { recursive: true });
    for (const program of ['api', 'worker', 'migrate'])
      expect((await run(process.execPath, [join(out, 'dist', `${program}.js`), '--version'])).stdout).toMatch(
        /^\d+\.\d+\.\d+/,
      );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
});
