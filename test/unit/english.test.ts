import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const written = /\.(?:ts|md|sql|py|toml|yml|txt)$/;
const places = ['src', 'test', 'bench', 'docs', 'migrations', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md'];

/** Spellings that users and readers should not meet; put together so that this file does not name them itself. */
const misspelt: readonly RegExp[] = [
  new RegExp(`\\b${'can'} ${'not'}\\b(?! only)`, 'i'),
  // A merge that was not finished.
  /^[<>]{7} /,
];

function filesOf(place: string): string[] {
  if (written.test(place)) return [place];
  return readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((name) => written.test(name))
    .map((name) => join(place, name));
}

/** Lines of a text with a spelling that is not wanted, with their numbers. */
function mistakes(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, at) => (misspelt.some((form) => form.test(line)) ? [`${at + 1}: ${line.trim()}`] : []));
}

describe('what people read', () => {
  it('is spelt in one way', () => {
    const found = places
      .flatMap(filesOf)
      .flatMap((file) => mistakes(readFileSync(join(root, file), 'utf8')).map((line) => `${file}:${line}`));
    expect(found).toEqual([]);
  });

  it('has no marks of a conflict', () => {
    expect(mistakes(`${'<'.repeat(7)} HEAD\n-- ok\n${'>'.repeat(7)} 7a45f69e`)).toHaveLength(2);
  });

  it('is searched line by line', () => {
    const text = `first\nit ${'can'} ${'not'} be\nit cannot be\nit ${'can'} ${'not'} only be`;
    expect(mistakes(text)).toEqual([`2: it ${'can'} ${'not'} be`]);
  });
});
