import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allProviders } from '../../../src/providers/registry.js';
import { samples } from './samples.js';

/** Every list of connectors is complete. */

const file = (path: string): URL => new URL(`../../../${path}`, import.meta.url);
const documentation = readFileSync(file('docs/providers.md'), 'utf8');

/** Rows of the tables below a heading, as their cells. */
const rowsOf = (heading: string): string[][] => {
  const [, section = ''] = documentation.split(`\n## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  const lines = table.split('\n').filter((line) => line.startsWith('| '));
  return lines
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .slice(1);
};

/** Names in the documentation that differ from the slug in more than case and spaces. */
const names: Readonly<Record<string, string>> = {
  statcan: 'Statistics Canada',
};
const nameOf = (slug: string): string => names[slug] ?? slug;
const fold = (text: string): string => text.toLowerCase().replaceAll(' ', '');

const units = rowsOf('Units').flatMap(([cell = '']) => cell.split(', '));
const compared = new Map(
  rowsOf('The connectors side by side').map(([name = '', ...cells]) => [fold(name), cells]),
);
const flagged = rowsOf('Flags').flatMap(([cell = '']) => cell.split(', ').map(fold));

const tests = readdirSync(file('test/unit/providers'))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(file(`test/unit/providers/${name}`), 'utf8'));

describe.each(allProviders.map((provider) => [provider.slug, provider] as const))('%s', (slug, provider) => {
  const key = fold(nameOf(slug));
  const [files, flags, panels] = compared.get(key) ?? [];
  const sample = samples.find((one) => one.provider.slug === slug);

  it('has a sample for the tests of flags, omitted members and hostile values', () => {
    expect(sample?.provider).toBe(provider);
  });

  it('has a test of its own', () => {
    const imported =
      sample?.provider === undefined ? [] : tests.filter((text) => text.includes('describeConnector'));
    expect(imported.some((text) => text.includes(`providers/${slug}/`))).toBe(true);
  });

  it('has its convention of units in the documentation', () => {
    expect(units.map(fold)).toContain(key);
  });

  it('has its number of replies, flags and panels in the table of connectors', () => {
    const folder = file(`test/fixtures/providers/${slug}`);
    expect(existsSync(folder)).toBe(true);
    expect(Number(files)).toBe(readdirSync(folder).length);
    expect(panels === 'yes').toBe(provider.panel !== undefined);
    expect(flags === 'yes').toBe(flagged.includes(key));
  });
});

it('no table of the documentation has an unknown connector', () => {
  const known = allProviders.map(({ slug }) => fold(nameOf(slug)));
  for (const name of [...units.map(fold), ...compared.keys(), ...flagged]) expect(known).toContain(name);
});
