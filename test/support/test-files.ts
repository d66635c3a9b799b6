/** All test files, as text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Test files but those about optional tools, whose texts look like uses of them. */
export const testFiles = ['test/unit', 'test/integration', 'test/system', 'test/long'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.endsWith('optional-tools.test.ts'))
    .map((name) => ({ name: `${folder}/${name.replaceAll('\\', '/')}` }))
    .map(({ name }) => ({ name, text: readFileSync(join(root, name), 'utf8') })),
);
