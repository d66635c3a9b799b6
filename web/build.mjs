/** Builds the web app into dist/web, with compressed files. */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const web = fileURLToPath(new URL('.', import.meta.url));
const out = fileURLToPath(new URL('../dist/web', import.meta.url));
/** Part of the console. */
const runBook = fileURLToPath(new URL('../docs/operating/runbook.md', import.meta.url));
const stamp = join(out, '.sources');

const versionOf = (name) =>
  JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;

/** Hash of all inputs of the build. */
const fingerprint = () => {
  const hash = createHash('sha256').update(['vite', 'preact', 'uplot'].map(versionOf).join());
  const files = readdirSync(web, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .concat(runBook)
    .sort();
  for (const file of files) hash.update(`${file.slice(web.length)}\0`).update(readFileSync(file));
  return hash.digest('hex');
};

const compress = (folder) => {
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
};

/** Builds the web app unless its sources have not changed since the last build. */
export const buildWeb = async () => {
  const sources = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  const { build } = await import('vite');
  await build({ configFile: join(web, 'vite.config.ts'), logLevel: 'warn' });
  compress(join(out, 'assets'));
  cpSync(join(web, 'addresses.json'), join(out, 'addresses.json'));
  writeFileSync(stamp, sources);
};
