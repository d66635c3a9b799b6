/** The Python package, built as a wheel, installed, and used against the product. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { exactColumns, exactCsv, exactRows } from '../../support/exact-values.js';
import { type LocalProvider, startLocalProvider } from '../../support/local-provider.js';
import { testWith } from '../../support/optional-tools.js';
import { longestTestMs } from '../../support/patience.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { programOf } from '../../support/tools.js';

const run = promisify(execFile);
const pythonTest = await testWith('Python readers');
const loaderTest = await testWith('Python loaders');
const source = fileURLToPath(new URL('../../../clients/python', import.meta.url));

let product: TestProduct;
let key: string;
let folder: string;
let provider: LocalProvider;

beforeAll(async () => {
  provider = await startLocalProvider();
  product = await startProduct({ providerUrls: provider.providerUrls });
  ({ key } = await product.createAccount('python'));
  folder = await mkdtemp(join(tmpdir(), 'python-package-'));
  // The build leaves files next to its source.
  await cp(source, join(folder, 'source'), { recursive: true });
});

afterAll(async () => {
  await product?.close();
  provider?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const python = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  run(await programOf('Python readers'), args, {
    env: { ...process.env, ...env },
    timeout: longestTestMs,
    maxBuffer: 64 * 1024 * 1024,
  });

/** @returns folder of the installed package. */
const installWheel = async (): Promise<string> => {
  const pip = ['-m', 'pip', '--disable-pip-version-check', '-q'];
  const [wheels, site] = [join(folder, 'wheels'), join(folder, 'site')];
  const quietly = ['--no-deps', '--no-index'];
  await python([...pip, 'wheel', ...quietly, '--no-build-isolation', '-w', wheels, join(folder, 'source')]);
  const [wheel = ''] = await readdir(wheels);
  expect(wheel).toMatch(/^tabulary-[\d.]+-py3-none-any\.whl$/);
  await python([...pip, 'install', ...quietly, '--target', site, join(wheels, wheel)]);
  return site;
};

describe('the Python package', () => {
  pythonTest(
    'reads, uploads and compares, and appends rows exactly once even if requests or answers are lost',
    async () => {
      const site = await installWheel();
      const values = join(folder, 'values.json');
      await writeFile(values, JSON.stringify({ csv: exactCsv, columns: exactColumns, rows: exactRows }));
      const env = { PYTHONPATH: site, TABULARY_API: product.baseUrl, TABULARY_KEY: key, VALUES: values };
      for (const file of ['test_package.py', 'test_values.py']) {
        const { stderr } = await python([join(source, 'tests', file)], env);
        expect(stderr).toMatch(/^OK$/m);
      }
    },
    longestTestMs,
  );

  loaderTest(
    'is a destination and a source of dlt',
    async () => {
      const env = { PYTHONPATH: join(source, 'src'), TABULARY_API: product.baseUrl, TABULARY_KEY: key };
      const quiet = { RUNTIME__DLTHUB_TELEMETRY: 'false' };
      const { stderr } = await python([join(source, 'tests', 'test_dlt.py')], { ...env, ...quiet });
      expect(stderr).toMatch(/^OK$/m);
    },
    longestTestMs,
  );

  pythonTest(
    'passes mypy',
    async () => {
      const config = join(source, 'pyproject.toml');
      const { stdout } = await python([
        ...['-m', 'mypy', '--config-file', config, '--cache-dir', join(folder, 'mypy')],
        join(source, 'src', 'tabulary'),
      ]);
      expect(stdout).toContain('no issues found');
    },
    longestTestMs,
  );
});
