import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAsk } from '../../support/api.js';
import type { OpenApiDocument } from '../../support/contract.js';
import { testWith } from '../../support/optional-tools.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { programOf } from '../../support/tools.js';

/** Clients that the common generators make of the document work as they come, in Python and in TypeScript. */
const run = promisify(execFile);
const pythonTest = await testWith('Python venv');
const clients = fileURLToPath(new URL('../../clients', import.meta.url));
/** Below node_modules, so that generated files find the packages. */
const cache = fileURLToPath(new URL('../../../node_modules/.cache/generated-clients', import.meta.url));

interface Operation {
  readonly parameters?: { name: string; in: string; schema: { default?: unknown } }[];
}
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
  folder = await mkdtemp(join(cache, 'run-'));
});
afterAll(async () => {
  await product?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const seen = {
  process: 'completed',
  columns: ['Country', 'Day', 'GDP'],
  filtered: [{ Country: 'France', Day: '2024-01-01', GDP: 1.5 }],
  matching: '2',
  whole:
    '"Country","Day","GDP"\r\n"France","2024-01-01",1.5\r\n"Spain","2024-01-02",2.25\r\n"France","2024-01-03",\r\n',
  queried: 200,
};

/** The program of the generator, in an environment that is made once and kept. */
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

describe('the document', () => {
  it('names each option once, with an address that works and without defaults that clients would send', () => {
    expect(document.servers).toEqual([{ url: product.baseUrl }]);
    const text = JSON.stringify(document);
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
    for (const [path, method] of [
      ['/datasets/{id}/data', 'get'],
      ['/datasets/{id}/data', 'put'],
    ] as const) {
      const operation = document.paths[path]?.[method] as Operation | undefined;
      const query = operation?.parameters?.filter((item) => item.in === 'query') ?? [];
      const identifiers = query.map(({ name }) => name.replace(/\W/g, '').toLowerCase());
      expect(new Set(identifiers).size).toBe(query.length);
      expect(query.length).toBeGreaterThan(10);
      expect(identifiers).not.toContain('quote');
      expect(query.filter(({ schema }) => schema.default !== undefined)).toEqual([]);
    }
  });
});

describe('the Python client of openapi-python-client', () => {
  pythonTest('is generated whole and creates, uploads, polls, filters and downloads', async () => {
    const generator = await installGenerator();
    const file = join(folder, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    // The generator has to be told of each binary type that is not application/octet-stream.
    const config = join(folder, 'generator.json');
    await writeFile(
      config,
      JSON.stringify({ content_type_overrides: { 'application/zip': 'application/octet-stream' } }),
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
});

describe('the TypeScript client of openapi-typescript and openapi-fetch', () => {
  it('type-checks and creates, uploads, polls, filters and downloads', async () => {
    const source = await readFile(join(clients, 'walk-generated.ts.txt'), 'utf8');
    await writeFile(join(folder, 'api.ts'), astToString(await openapiTS(JSON.stringify(document))));
    await writeFile(join(folder, 'walk.ts'), source);
    const options = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: [],
    };
    const faults = ts
      .getPreEmitDiagnostics(ts.createProgram([join(folder, 'walk.ts')], options))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    expect(faults).toEqual([]);
    const { outputText } = ts.transpileModule(source, { compilerOptions: options });
    await writeFile(join(folder, 'walk.mjs'), outputText);
    const { walk } = (await import(pathToFileURL(join(folder, 'walk.mjs')).href)) as {
      walk(base: string, key: string): Promise<unknown>;
    };
    expect(await walk(document.servers[0]?.url ?? '', key)).toEqual(seen);
  });
});
