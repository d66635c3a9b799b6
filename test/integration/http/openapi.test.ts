import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Person, startTestApi, type TestApi } from '../../support/api.js';
import { createContract } from '../../support/contract.js';

let api: TestApi;
let ada: Person;
beforeAll(async () => {
  api = await startTestApi({ databaseUrl: inject('databaseUrl') });
  ada = await api.person('ada');
});
afterAll(async () => {
  await api.close();
});

const operations = () =>
  Object.entries(api.contract.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

describe('the document', () => {
  it('has every route once, each with an operation id of its own, a summary and a tag', () => {
    expect(operations()).toHaveLength(api.routes.filter((route) => !route.hidden).length);
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations())
      expect(operation).toMatchObject({ summary: expect.any(String), tags: [expect.any(String)] });
  });

  it('declares every parameter of a path', () => {
    for (const { path, operation } of operations()) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? [])
        .filter((item) => item.in === 'path')
        .map(({ name }) => name);
      expect([path, declared.sort()]).toEqual([path, named.sort()]);
    }
  });

  it('requires no query parameter except q, and has the URL of the server', async () => {
    const required = operations().flatMap(({ method, path, operation }) =>
      (operation.parameters ?? [])
        .filter((item) => item.in === 'query' && item.required === true)
        .map(({ name }) => `${method} ${path} ${name}`),
    );
    // Importers enable required parameters. Only the query of a search is one.
    expect(required.filter((one) => !one.endsWith(' q'))).toEqual([]);
    const { servers } = (await (await fetch(`${api.root}/openapi.json`)).json()) as {
      servers: { url: string }[];
    };
    expect(servers).toEqual([{ url: `${api.root}/api` }]);
    expect((await fetch(`${servers[0]?.url}/repositories`)).status).toBe(401);
  });

  it('has a valid example for every JSON body of a request or an answer', () => {
    const withoutExample = operations().flatMap(({ method, path, operation }) =>
      [
        ...Object.values(operation.requestBody?.content ?? {}),
        ...Object.entries(operation.responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([, response]) => Object.values(response.content ?? {})),
      ].flatMap((media) => (media.example === undefined ? [`${method} ${path}`] : [])),
    );
    expect(withoutExample).toEqual([]);
    expect(api.contract.wrongExamples()).toEqual([]);
  });

  it('lists 401 exactly for operations that accept a key', () => {
    for (const { method, path, operation } of operations()) {
      const secured = (operation as { security?: unknown[] }).security ?? [];
      expect([method, path, '401' in operation.responses]).toEqual([method, path, secured.length > 0]);
    }
  });
});

describe('the contract check of the tests', () => {
  const seen = { method: 'GET', path: '/teams', status: 200, contentType: 'application/json', text: '[]' };

  it('accepts what the document describes and refuses everything else', () => {
    const contract = createContract(api.contract.document);
    contract.check(seen);
    expect(() => contract.check({ ...seen, text: '[{}]' })).toThrow('required');
    expect(() => contract.check({ ...seen, text: '[{"name":1}]' })).toThrow('string');
    expect(() => contract.check({ ...seen, status: 418 })).toThrow('no such status');
    expect(() => contract.check({ ...seen, contentType: 'text/html' })).toThrow('no text/html');
    expect(() => contract.check({ ...seen, path: '/nothing' })).toThrow('not in the document');
    expect(() => contract.check({ ...seen, status: 400, text: '{"message":"x"}' })).toThrow('required');
  });
});

describe('examples of bodies', () => {
  it('are accepted unchanged', async () => {
    const home = (await ada.ask('GET', '/repositories/home')).json<{ id: number }>();
    const made = (await ada.ask('POST', '/datasets', { name: 'example', repositoryId: home.id })).json<{
      id: number;
    }>();
    await ada.ask('POST', '/teams', { name: 'example team' });
    const bob = await api.person('bob');
    const exampleOf = (method: string, path: string) =>
      operations().find((item) => item.method === method && item.path === path)?.operation.requestBody
        ?.content['application/json']?.example as Record<string, unknown>;
    const inHome = (body: Record<string, unknown>) => ({ ...body, repositoryId: home.id });
    const team = encodeURIComponent('example team');
    const run: [string, string, string, (body: Record<string, unknown>) => object, number][] = [
      ['PUT', '/account', '/account', (body) => body, 200],
      ['POST', '/account/keys', '/account/keys', (body) => body, 201],
      ['POST', '/repositories', '/repositories', (body) => body, 201],
      ['PUT', '/repositories/{id}', `/repositories/${home.id}`, (body) => body, 200],
      ['POST', '/datasets', '/datasets', inHome, 201],
      ['POST', '/datasets/{id}/clone', `/datasets/${made.id}/clone`, inHome, 201],
      ['PUT', '/datasets/{id}', `/datasets/${made.id}`, (body) => body, 200],
      [
        'PUT',
        '/repositories/{id}/permissions/{name}',
        `/repositories/${home.id}/permissions/bob`,
        (body) => body,
        200,
      ],
      [
        'PUT',
        '/datasets/{id}/permissions/{name}',
        `/datasets/${made.id}/permissions/bob`,
        (body) => body,
        200,
      ],
      ['PUT', '/teams/{name}/members/{account}', `/teams/${team}/members/${bob.name}`, (body) => body, 202],
      ['POST', '/teams', '/teams', (body) => body, 201],
    ];
    for (const [method, template, path, adapt, status] of run) {
      const answer = await ada.ask(method, path, adapt(exampleOf(method, template)));
      expect([method, template, answer.status]).toEqual([method, template, status]);
    }
  });
});

describe('a client generated from the document', () => {
  it('compiles with valid calls and not with invalid ones', async () => {
    const types = astToString(await openapiTS(JSON.stringify(api.contract.document)));
    const client = await readFile(join(import.meta.dirname, 'generated-client.ts.txt'), 'utf8');
    const folder = await mkdtemp(join(tmpdir(), 'tabulary-client-'));
    const files = {
      'api.ts': types,
      'client.ts': client,
      'wrong.ts': client.replace("privacy: 'Private'", "privacy: 'Secret'"),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const options = {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      types: [],
    };
    // One program for both, since most of the work is loading the platform types.
    const names = ['client.ts', 'wrong.ts'];
    const program = ts.createProgram(
      names.map((name) => join(folder, name)),
      options,
    );
    const faults = ts
      .getPreEmitDiagnostics(program)
      .map(({ file, messageText }) => [
        basename(file?.fileName ?? ''),
        ts.flattenDiagnosticMessageText(messageText, '\n'),
      ]);
    expect(faults).toEqual([['wrong.ts', expect.stringContaining('Secret')]]);
    await rm(folder, { recursive: true });

    const { outputText } = ts.transpileModule(client, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    const { walk } = (await import(
      `data:text/javascript;base64,${Buffer.from(outputText).toString('base64')}`
    )) as { walk(base: string, key: string): Promise<unknown> };
    expect(await walk(`${api.root}/api`, ada.key)).toEqual({
      created: 'Generated',
      permission: 'Owner',
      dataset: 'Admin',
      columns: [],
      refused: 'body: privacy is required',
    });
  });
});
