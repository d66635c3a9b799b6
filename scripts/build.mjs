/**
 * Builds the programs and the web app into `dist`. `--production` leaves out `npm start` with its embedded servers. Types are not checked:
 * `npm run typecheck` does that.
 *
 * A program is one file, with parts that it shares with others or loads later: docs/adr/0096-bundled-programs.md.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import { buildWeb } from '../web/build.mjs';
import { commitId } from './commit.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const programs = ['api', 'worker', 'migrate', 'admin'];
/** `npm start`, and the process of its ClickHouse. */
const trialPrograms = ['main', 'embedded/clickhouse-child'];

/** Writes files that differ, and removes those of an earlier build: programs may be running meanwhile. */
const replaceFiles = (folder, files) => {
  for (const { path, contents } of files) {
    if (existsSync(path) && readFileSync(path).equals(contents)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  const current = new Set(files.map(({ path }) => relative(folder, path)));
  for (const name of readdirSync(folder, { recursive: true }))
    if (/\.js(?:\.map)?$/.test(name) && !/^web[\\/]/.test(name) && !current.has(name))
      rmSync(join(folder, name));
};

/** @param folder Folder of the programs. */
export const buildPrograms = async ({ folder = join(root, 'dist'), production = false } = {}) => {
  const { outputFiles } = await bundle({
    absWorkingDir: root,
    entryPoints: [...programs, ...(production ? [] : trialPrograms)].map((name) => `src/${name}.ts`),
    outbase: 'src',
    outdir: resolve(folder),
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    sourcemap: true,
    sourcesContent: false,
    write: false,
    logLevel: 'warning',
  });
  mkdirSync(folder, { recursive: true });
  replaceFiles(resolve(folder), outputFiles);
  writeFileSync(join(folder, 'commit.txt'), `${commitId(root)}\n`);
};

export const buildAll = async (options) => {
  await Promise.all([buildPrograms(options), buildWeb()]);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log('Building …');
  await buildAll({ production: process.argv.includes('--production') });
}
