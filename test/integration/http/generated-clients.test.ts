import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAsk } from '../../support/api.js';
import type { OpenApiDocument } from '../../support/contract.js';
import { blocksOf } from '../../support/documents.js';
import { startProduct, type TestProduct } from '../../support/product.js';

/** Client generators accept the OpenAPI document, and the generated TypeScript client works without changes. */
const run = promisify(execFile);
const typeScript = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
const generatedNote =
  '// Generated from the OpenAPI document of the service; see README.md. Do not edit.\n\n';
/** Below node_modules, so that generated files find their packages. */
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

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

describe('the document', () => {
  it('is valid OpenAPI 3.1 according to an independent validator', async () => {
    const config = await createConfig({
      rules: {
        struct: 'error',
        'no-unresolved-refs': 'error',
        'operation-operationId-unique': 'error',
        'path-parameters-defined': 'error',
        'operation-parameters-unique': 'error',
        'no-invalid-media-type-examples': 'error',
        'tag-description': 'error',
      },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
  });

  it('names operations by a verb and its object', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(ids.filter((id) => !/^[a-z]+(?:[A-Z][a-z]+)+$/.test(id) && !/^sign(?:In|Out)$/.test(id))).toEqual(
      [],
    );
    expect(ids).toEqual(expect.arrayContaining(['downloadRows', 'uploadFile', 'followProcess']));
  });

  it('describes every tag, with the routes of operators last', () => {
    const { tags } = document;
    expect(tags.filter(({ description }) => description.length < 10)).toEqual([]);
    const used = operations().map(({ operation }) => operation.tags[0] ?? '');
    expect([...new Set(used)].sort()).toEqual(tags.map(({ name }) => name).sort());
    expect(used.slice(used.indexOf('Operations')).every((tag) => tag === 'Operations')).toBe(true);
    for (const { path, operation } of operations())
      expect([path, path.startsWith('/ops')]).toEqual([path, operation.tags[0] === 'Operations']);
  });

  it('lists the codes of errors, and has Retry-After with 429, 502 and 503 only', () => {
    const { Error: error, NotFoundMessage: message } = document.components.schemas;
    for (const schema of [error, message])
      expect(schema).toMatchObject({
        properties: { code: { enum: expect.arrayContaining(['unknown_column', 'backlog', 'no_key']) } },
      });
    for (const { operation } of operations())
      for (const [status, response] of Object.entries(operation.responses))
        expect([status, response.headers?.['Retry-After'] !== undefined]).toEqual([
          status,
          ['429', '502', '503'].includes(status),
        ]);
  });

  const operationOf = (id: string) =>
    operations().find(({ operation }) => operation.operationId === id)?.operation;
  const headersOf = (id: string): string[] =>
    (operationOf(id)?.parameters ?? []).filter((item) => item.in === 'header').map(({ name }) => name);

  it('has the request headers that routes read', () => {
    expect(headersOf('uploadFile')).toEqual(['If-Match', 'Content-MD5', 'Digest', 'Repr-Digest']);
    expect(headersOf('downloadRows')).toEqual(['If-None-Match', 'If-Match']);
    expect(headersOf('fetchFile')).toEqual(['Range', 'If-Range', 'If-None-Match', 'If-Match']);
    expect(headersOf('getSeries')).toEqual(['If-None-Match']);
  });

  it('has the options of the upload form, with the file last', () => {
    const form = operationOf('uploadFile')?.requestBody?.content['multipart/form-data']?.schema;
    const { properties } = form as { properties: Record<string, object> };
    const names = Object.keys(properties);
    expect(names.at(-1)).toBe('data');
    expect(names).toEqual(expect.arrayContaining(['mode', 'key', 'manifest', 'onBadRow', 'async']));
    expect(properties.mode).toMatchObject({ enum: expect.arrayContaining(['append', 'upsert']) });
  });

  it('has a schema for all content, streams included', () => {
    const contentOf = (id: string) => operationOf(id)?.responses['200']?.content ?? {};
    expect(contentOf('downloadRows')['text/csv']?.schema).toMatchObject({ type: 'string' });
    expect(contentOf('downloadRows')['application/json']?.schema).toMatchObject({ type: 'array' });
    expect(contentOf('followProcess')['text/event-stream']?.schema).toMatchObject({
      description: expect.stringContaining('event:'),
    });
    const withoutSchema = operations().flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap(({ content = {} }) =>
        Object.values(content).flatMap(({ schema }) =>
          schema === undefined || Object.keys(schema).length === 0 ? [operation.operationId] : [],
        ),
      ),
    );
    expect(withoutSchema).toEqual([]);
  });

  it('names each option once, with the URL of the server and without defaults that clients would send', () => {
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

describe('the TypeScript client', () => {
  const source = fileURLToPath(new URL('../../../clients/typescript', import.meta.url));

  it('has the types of the document; -u regenerates them', async () => {
    const types = astToString(await openapiTS(JSON.stringify(document)));
    await expect(`${generatedNote}${types}`).toMatchFileSnapshot(join(source, 'src/schema.ts'));
  });

  it('compiles, and the example in its README creates, uploads, filters and downloads', async () => {
    await cp(source, join(folder, 'client'), { recursive: true });
    const [program = ''] = blocksOf('clients/typescript/README.md', 'ts');
    const local = program.replace("'tabulary-client'", "'./client.js'");
    await writeFile(
      join(folder, 'client/src/program.ts'),
      `declare const process: { env: Record<string, string | undefined> };\n${local}`,
    );
    // In a child process, since blocking the event loop of the product would look like a Kafka outage.
    const faults = await run(process.execPath, [typeScript, '-p', join(folder, 'client')]).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
    expect(faults).toBe('');
    const env = { ...process.env, TABULARY_API: product.baseUrl, TABULARY_KEY: key };
    const { stdout } = await run(process.execPath, [join(folder, 'client/dist/program.js')], { env });
    expect(stdout.trim().split('\n')).toEqual([
      'completed 3',
      JSON.stringify([
        { Country: 'France', Day: '1931-07-14', GDP: '123456789012345678901234567890' },
        { Country: 'France', Day: '2024-01-01', GDP: '1.5' },
      ]),
      '5',
      '400 unknown_column',
    ]);
  });
});
