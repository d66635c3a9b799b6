import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../../../migrations/', import.meta.url));
const schema = readdirSync(folder)
  .map((file) => readFileSync(`${folder}${file}`, 'utf8'))
  .join('\n');

const tables = [...schema.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm)].map(([, table = '']) => table);

describe('the schema', () => {
  it.each(tables)('says in the comment on %s when or by what a row is written', (table) => {
    const [, comment] = new RegExp(`COMMENT ON TABLE ${table} IS\\s+'((?:[^']|'')*)';`).exec(schema) ?? [];
    expect(comment).toMatch(/\bwritten (?:by|when|with|in|for|at|before)\b/i);
  });
});
