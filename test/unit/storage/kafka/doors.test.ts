/** The interface of storage/kafka exposes no type of kafkajs, so that another client would change only this folder. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../../../src/storage/kafka', import.meta.url));

/** Declarations that the compiler emits, by file name. */
const declarationsOf = (files: readonly string[]): Map<string, string> => {
  const program = ts.createProgram([...files], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
    types: ['node'],
  });
  const written = new Map<string, string>();
  for (const file of files) {
    program.emit(program.getSourceFile(file), (name, text) => {
      written.set(name.slice(name.lastIndexOf('/') + 1), text);
    });
  }
  return written;
};

const namesKafkajs = (text: string): boolean => /['"]kafkajs['"]/.test(text);

const filesIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(path, entry.name));

it('the interface of storage/kafka exposes no type of kafkajs', () => {
  const declarations = declarationsOf(filesIn(folder));
  expect(declarations.size).toBeGreaterThan(8);
  expect([...declarations].filter(([, text]) => namesKafkajs(text)).map(([name]) => name)).toEqual([]);
});

it('a type of kafkajs in a declaration is found', () => {
  const inner = declarationsOf([join(folder, 'kafkajs', 'client.ts')]);
  expect([...inner.values()].some(namesKafkajs)).toBe(true);
});
