/** Recipes for data loaders, run exactly as documented. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Client, call, createDataset, download, json, upload } from '../../support/datasets.js';
import { blocksOf } from '../../support/documents.js';
import { testWith } from '../../support/optional-tools.js';
import { longestTestMs } from '../../support/patience.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { programOf } from '../../support/tools.js';

const run = promisify(execFile);
const loaderTest = await testWith('Python loaders');
const page = 'docs/recipes.md';
const source = fileURLToPath(new URL('../../../clients/python/src', import.meta.url));

let product: TestProduct;
let client: Client;
let folder: string;

beforeAll(async () => {
  product = await startProduct();
  client = await product.createAccount('cook');
  folder = await mkdtemp(join(tmpdir(), 'recipes-'));
});
afterAll(async () => {
  await product?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const python = async (args: readonly string[], dataset?: number): Promise<string> => {
  const env = {
    ...process.env,
    HOME: folder,
    PYTHONPATH: source,
    TABULARY_API: client.baseUrl,
    TABULARY_KEY: client.key,
    DATASET: String(dataset),
    DBT_SEND_ANONYMOUS_USAGE_STATS: 'false',
    RUNTIME__DLTHUB_TELEMETRY: 'false',
  };
  const options = { cwd: folder, env, timeout: longestTestMs, maxBuffer: 64 * 1024 * 1024 };
  return (await run(await programOf('Python loaders'), args, options)).stdout;
};

/** Installs the DuckDB extension from its Python package instead of the network. */
const installExtension = `
import pathlib, duckdb, duckdb_extension_httpfs
folder = pathlib.Path(duckdb_extension_httpfs.__file__).parent / "extensions"
for extension in folder.rglob("httpfs.duckdb_extension"):
    duckdb.connect().sql(f"INSTALL '{extension}'")
`;

describe('the recipe', () => {
  loaderTest(
    'for dlt loads tables into datasets',
    async () => {
      const [load = ''] = blocksOf(page, 'python');
      // The second run upserts the same keys.
      for (let time = 0; time < 2; time += 1) await python(['-c', load]);
      const datasets = await json<{ id: number; name: string }[]>(await call(client, 'GET', '/datasets'));
      const [made] = datasets.filter(({ name }) => name === 'prices');
      expect((await download(client, made?.id ?? 0)).trim().split('\n')).toHaveLength(3);
    },
    longestTestMs,
  );

  loaderTest(
    'for dlt reads all pages of a dataset',
    async () => {
      const id = await createDataset(client);
      const rows = Array.from(
        { length: 25_000 },
        (_, at) => `${at},12345678901234567890123456789${at % 10}\n`,
      );
      await upload(client, id, `n,big\n${rows.join('')}`);
      const [, read = ''] = blocksOf(page, 'python');
      const lines = (await python(['-c', read], id)).trim().split('\n');
      expect([lines.length, lines.at(-1)]).toEqual([
        25_000,
        "{'n': '24999', 'big': '123456789012345678901234567899'}",
      ]);
    },
    longestTestMs,
  );

  loaderTest(
    'for dbt creates a DuckDB table from a dataset',
    async () => {
      const id = await createDataset(client);
      await upload(client, id, 'Country,Price\nNorway,1.5\nNorway,2.25\nChile,\n');
      for (const [language, file] of [
        ['yaml', 'profiles.yml'],
        ['yaml', 'models/sources.yml'],
        ['sql', 'models/by_country.sql'],
        ['yaml', 'dbt_project.yml'],
      ] as const) {
        const path = join(folder, file);
        await mkdir(dirname(path), { recursive: true });
        const [text = ''] = blocksOf(page, `${language} ${file}`);
        await writeFile(path, text);
      }
      await python(['-c', installExtension]);
      const program = 'import sys; from dbt.cli.main import cli; sys.exit(cli())';
      expect(await python(['-c', program, 'run', '--profiles-dir', '.'], id)).toContain('PASS=1');
      const question = 'SELECT * FROM by_country ORDER BY 1';
      const shown = await python([
        '-c',
        `import duckdb; print(duckdb.connect("prices.duckdb").sql("${question}").fetchall())`,
      ]);
      expect(shown.trim()).toBe("[('Chile', None), ('Norway', 2.25)]");
    },
    longestTestMs,
  );
});
