import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const written = /\.(?:ts|md|sql|py|toml|yml|txt)$/;
const places = ['src', 'test', 'bench', 'docs', 'migrations', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md'];

/** Unwanted spellings, composed so that this file does not contain them. */
const misspelt: readonly RegExp[] = [
  new RegExp(`\\b${'can'} ${'not'}\\b(?! only)`, 'i'),
  // Conflict markers.
  /^[<>]{7} /,
];

function filesOf(place: string): string[] {
  if (written.test(place)) return [place];
  return readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((name) => written.test(name))
    .map((name) => join(place, name));
}

/** Lines with an unwanted spelling, with their numbers. */
function mistakes(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, at) => (misspelt.some((form) => form.test(line)) ? [`${at + 1}: ${line.trim()}`] : []));
}

describe('texts of the project', () => {
  it('have no unwanted spellings and no conflict markers', () => {
    const found = places
      .flatMap(filesOf)
      .flatMap((file) => mistakes(readFileSync(join(root, file), 'utf8')).map((line) => `${file}:${line}`));
    expect(found).toEqual([]);
  });

  it('are searched for conflict markers', () => {
    expect(mistakes(`${'<'.repeat(7)} HEAD\n-- ok\n${'>'.repeat(7)} 7a45f69e`)).toHaveLength(2);
  });

  it('are searched line by line', () => {
    const text = `first\nit ${'can'} ${'not'} be\nit cannot be\nit ${'can'} ${'not'} only be`;
    expect(mistakes(text)).toEqual([`2: it ${'can'} ${'not'} be`]);
  });
});
