import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import { testWith } from '../../support/optional-tools.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { programOf } from '../../support/tools.js';
import { projectFile } from '../../unit/deploy/compose-file.js';

const it = await testWith('bash', 'curl');

let product: TestProduct;
let folder: string;

beforeAll(async () => {
  product = await startProduct();
  folder = await mkdtemp(join(tmpdir(), 'tabulary-documents-'));
});

afterAll(async () => {
  await product?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Every block marked `sh`, in order. What is not to be run as it stands is marked otherwise. */
const blocksOf = (path: string): string[] =>
  [...projectFile(path).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);

it('every shell block of the README and the guides runs, in order, in one shell', async () => {
  const { key } = await product.createAccount('ada');
  const { key: other } = await product.createAccount('bob');
  const documents = ['README.md', 'docs/guide.md', 'docs/uploads.md'];
  const blocks = documents.flatMap(blocksOf);
  expect(blocks.length).toBeGreaterThan(7);
  // A status of 400 or above ends the run, wherever it comes.
  const script = [
    'set -euo pipefail',
    'curl() { command curl -sS --fail-with-body "$@"; }',
    ...blocks.map((block, at) => `echo "== block ${at}" >&2\n${block}`),
  ].join('\n');
  const run = promisify(execFile)(await programOf('bash'), ['-c', script], {
    cwd: folder,
    env: { PATH: process.env.PATH, API: product.baseUrl, KEY: key, ADA: key, BOB: other },
  });
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stderr}\n${error.stdout}`);
  });
  expect(stdout).toContain('"Month","Country","Price"\r\n"2024-02-01","Norway",2.25\r\n');
  expect(stdout).toContain('"label":"As reported in March"');
});
