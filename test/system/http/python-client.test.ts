/** The client that openapi-python-client generates from the OpenAPI document works without changes. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import { seen } from '../../clients/seen.js';
import { createAsk } from '../../support/api.js';
import type { OpenApiDocument } from '../../support/contract.js';
import { testWith } from '../../support/optional-tools.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { programOf } from '../../support/tools.js';

const run = promisify(execFile);
const it = await testWith('Python venv');
const clients = fileURLToPath(new URL('../../clients', import.meta.url));
const cache = fileURLToPath(new URL('../../../node_modules/.cache/generated-clients', import.meta.url));

type Document = OpenApiDocument & { readonly servers: { url: string }[] };

let product: TestProduct;
let key: string;
let document: Document;
let folder: string;
beforeAll(async () => {
  product = await startProduct();
  ({ key } = await product.createAccount('generated'));
  document = (await createAsk(new URL(product.baseUrl).origin)('GET', '/openapi.json')).json<Document>();
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, 'python-run-'));
});
afterAll(async () => {
  await product?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** Installs the generator into a cached virtual environment. */
const installGenerator = async (): Promise<string> => {
  const venv = join(cache, 'python');
  const program = join(venv, 'bin', 'openapi-python-client');
  const works = await run(program, ['--version']).then(
    () => true,
    () => false,
  );
  if (works) return program;
  await run(await programOf('Python venv'), ['-m', 'venv', '--clear', venv]);
  const requirements = join(clients, 'requirements-generator.txt');
  await run(join(venv, 'bin', 'pip'), ['install', '-q', '-r', requirements]).catch((cause: unknown) => {
    throw new Error('openapi-python-client could not be installed from PyPI', { cause });
  });
  return program;
};

it('the generated Python client is complete and can create, upload, poll, filter and download', async () => {
  const generator = await installGenerator();
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  // The generator needs a setting for each binary type that is not application/octet-stream.
  const config = join(folder, 'generator.json');
  await writeFile(
    config,
    JSON.stringify({
      content_type_overrides: Object.fromEntries(
        ['application/zip', 'application/vnd.apache.parquet'].map((type) => [
          type,
          'application/octet-stream',
        ]),
      ),
    }),
  );
  const made = await run(generator, [
    ...['generate', '--path', file, '--meta', 'none', '--config', config],
    ...['--output-path', join(folder, 'tabulary_client')],
  ]);
  expect(made.stdout + made.stderr).not.toMatch(/will not be generated|cannot parse/i);
  const python = join(cache, 'python', 'bin', 'python');
  const walked = await run(python, [
    join(clients, 'walk_generated.py'),
    folder,
    document.servers[0]?.url ?? '',
    key,
  ]);
  expect(JSON.parse(walked.stdout)).toEqual(seen);
});
