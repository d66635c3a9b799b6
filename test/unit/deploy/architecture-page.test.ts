import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { projectFile } from './compose-file.js';

/** Folders that need no line of their own: settings, and the tour of the first start. */
const small = ['config', 'tour'];

it('docs/architecture.md is one page that names every room and entry of the source', () => {
  const text = projectFile('docs/architecture.md');
  const source = readdirSync(fileURLToPath(new URL('../../../src', import.meta.url)), {
    withFileTypes: true,
  });
  const rooms = source
    .filter((entry) => entry.isDirectory() && !small.includes(entry.name))
    .map(({ name }) => `src/${name}/`);
  const entries = ['api', 'worker', 'migrate', 'admin', 'main'].map((name) => `src/${name}.ts`);
  expect([...rooms, ...entries].filter((path) => !text.includes(path))).toEqual([]);
  expect(text.split('\n').length).toBeLessThan(100);
});
