/** Sources of the tests and their support code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Files that the test commands run, except tests of `optional-tools.ts`, whose strings look like uses of tools. */
export const testSources = ['unit', 'integration', 'system', 'long', 'support'].flatMap((folder) =>
  readdirSync(join(root, 'test', folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('optional-tools.test.ts'))
    .map((name) => ({ name: `test/${folder}/${name.replaceAll('\\', '/')}` }))
    .map(({ name }) => ({ name, text: readFileSync(join(root, name), 'utf8') })),
);

export const testFiles = testSources.filter(({ name }) => name.endsWith('.test.ts'));
