/** Documents and comments name files that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from '../../support/test-files.js';

const folders = [
  '.ci',
  'bench',
  'deploy',
  'docs',
  'migrations',
  'schemas',
  'scripts',
  'sources',
  'src',
  'test',
  'web',
];

const files = [
  ...readdirSync(root),
  ...folders.flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  ),
];

/** Paths from the root and all their suffixes: `query/plan.ts` and `plan.ts` name `src/query/plan.ts`. */
const known = new Set(
  files.flatMap((path) => {
    const parts = path.split('/');
    return parts.map((_, at) => parts.slice(at).join('/'));
  }),
);

const sourceFile = /(?<![\w./:@<>-])(?:[\w.-]+\/)*[\w.-]+\.(?:tsx?|mjs|md|sql|avsc)(?![\w/])/g;
const quotedPath = /`((?:bench|deploy|docs|migrations|schemas|scripts|sources|src|test|web)\/[\w./-]+)`/g;

const missingIn = (text: string): string[] =>
  [
    ...[...text.matchAll(sourceFile)].map(([path]) => path.replace(/^(?:\.{1,2}\/)+/, '')),
    ...[...text.matchAll(quotedPath)].map(([, path = '']) => path),
  ].filter((path) => !known.has(path) && !existsSync(`${root}${path}`));

/** Code blocks contain examples and output, whose file names are not checked. */
const withoutBlocks = (text: string): string => text.replaceAll(/^```.*?^```/gms, '');

const commentsOf = (path: string, text: string): string =>
  (path.endsWith('.sql')
    ? text.match(/--[^\n]*/g)
    : text.match(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g)
  )?.join('\n') ?? '';

const textOf = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

it('documents name files that exist', () => {
  // The changelog names files that are gone.
  const documents = files.filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md');
  expect(documents.length).toBeGreaterThan(60);
  const missing = documents.flatMap((path) =>
    missingIn(withoutBlocks(textOf(path))).map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

it('comments name files that exist', () => {
  const sources = files.filter((path) =>
    /^(?:src|web|scripts|bench|migrations)\/.*\.(?:tsx?|mjs|sql)$/.test(path),
  );
  expect(sources.length).toBeGreaterThan(500);
  const missing = sources.flatMap((path) =>
    missingIn(commentsOf(path, textOf(path))).map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

it('the search finds missing files, and comments of TypeScript and SQL', () => {
  const text =
    'see `query/gone.ts` and plan.ts, [rows](../rows/README.md), `src/query/` and `src/nothing/`, a.csv';
  expect(missingIn(text)).toEqual(['query/gone.ts', 'src/nothing/']);
  expect(commentsOf('a.ts', "const url = 'http://x/b.ts'; // c.ts\n/** d.ts */ e.ts")).toBe(
    '// c.ts\n/** d.ts */',
  );
  expect(commentsOf('a.sql', 'SELECT 1 -- b.ts')).toBe('-- b.ts');
});
