import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorization, createDataset, ended, json, putFile } from '../../support/datasets.js';
import { blockOf, blocksOf } from '../../support/documents.js';
import { testWith } from '../../support/optional-tools.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { programOf } from '../../support/tools.js';

const run = promisify(execFile);
const testPython = await testWith('Python readers');
const testR = await testWith('R');
const testShell = await testWith('bash', 'curl');

let product: TestProduct;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabulary-documents-'));
  product = await startProduct();
});

afterAll(async () => {
  await product?.close();
  await rm(folder, { recursive: true, force: true });
});

testShell('every shell block of the README and the guides runs, in order, in one shell', async () => {
  const { key } = await product.createAccount('ada');
  const { key: other } = await product.createAccount('bob');
  const documents = ['README.md', 'docs/guide.md', 'docs/uploads.md', 'docs/api.md'];
  // Blocks that cannot be run unchanged are not marked `sh`.
  const blocks = documents.flatMap((path) => blocksOf(path, 'sh'));
  expect(blocks.length).toBeGreaterThan(7);
  // Any status of 400 or above ends the run.
  const script = [
    'set -euo pipefail',
    'curl() { command curl -sS --fail-with-body "$@"; }',
    ...blocks.map((block, at) => `echo "== block ${at}" >&2\n${block}`),
  ].join('\n');
  const ran = run(await programOf('bash'), ['-c', script], {
    cwd: folder,
    env: { PATH: process.env.PATH, API: product.baseUrl, KEY: key, ADA: key, BOB: other },
  });
  const { stdout } = await ran.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stderr}\n${error.stdout}`);
  });
  expect(stdout).toContain('"Month","Country","Price"\r\n"2024-02-01","Norway",2.25\r\n');
  expect(stdout).toContain('"label":"As reported in March"');
  // The difference that the dry run shows.
  const [shown] = /"keys":\[[^\]]+\]/.exec(blocks.find((block) => block.includes('dryRun=true')) ?? '') ?? [];
  expect(/"keys":\[[^\]]*\](?:,"ambiguousKeys":\[[^\]]*\])?/.exec(stdout)?.[0]).toBe(shown);
});

describe('the quick start in', () => {
  const page = 'docs/quickstart.md';

  /** Runs the code block of a language as a file, with the variables that the page names. */
  const runBlock = async (language: string, program: string, file: string): Promise<string> => {
    const { key } = await product.createAccount(`quick-${language}`);
    await writeFile(join(folder, file), blockOf(page, language));
    const env = { ...process.env, TABULARY_API: product.baseUrl, TABULARY_KEY: key };
    return (await run(program, [file], { cwd: folder, env })).stdout;
  };

  const outcomeOf = (stdout: string): string => stdout.replace(/\s+/g, ' ');

  it('JavaScript runs', async () => {
    const stdout = outcomeOf(await runBlock('js', process.execPath, 'quick.mjs'));
    expect(stdout).toMatch(/^completed 3 .*2024-02-01.* Price: 2\.25 .* 3 rows/);
  });

  testPython('Python runs', async () => {
    const stdout = outcomeOf(await runBlock('python', await programOf('Python readers'), 'quick.py'));
    expect(stdout).toMatch(/^completed 3 .*2024-02-01 Norway 2\.25 3 rows/);
  });

  testR('R runs', async () => {
    const stdout = outcomeOf(await runBlock('r', await programOf('R'), 'quick.R'));
    expect(stdout).toMatch(/^completed 3 .*2024-02-01 Norway 2\.25 3 rows/);
  });

  it('Excel has requests that are answered with the documented status', async () => {
    const client = await product.createAccount('quick-excel');
    const id = await createDataset(client, 'Prices');
    const file = 'Country,Price\nNorway,1.5\nChile,2\n';
    expect((await ended(client, await json(await putFile(client, id, file), 201))).status).toBe('completed');
    const lines = blockOf(page, 'excel').trim().split('\n');
    const requests = [...lines.join('\n').matchAll(/^GET \/api(\S+)\n(Authorization: Basic\n)?(\d+)$/gm)];
    expect(requests).toHaveLength(2);
    for (const [, path = '', basic, status] of requests) {
      const url = `${product.baseUrl}${path.replace('/1/', `/${id}/`)}`;
      const response = await fetch(url, basic === undefined ? {} : { headers: authorization(client.key) });
      expect(response.status).toBe(Number(status));
      if (response.ok) expect(await response.text()).toBe('"Country","Price"\r\n"Norway",1.5\r\n');
    }
  });
});
