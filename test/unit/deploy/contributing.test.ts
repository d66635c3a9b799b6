import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { jobList } from '../../../src/jobs/list.js';
import { columnTypes } from '../../../src/model/column-types/column-types.js';
import { allProviders } from '../../../src/providers/registry.js';
import { formatNames } from '../../../src/query/formats/formats.js';
import { options } from '../../../src/query/options/table.js';
import { uploadOptions } from '../../../src/uploads/options/table.js';
import { projectFile } from './compose-file.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const text = projectFile('CONTRIBUTING.md');

/** Walkthroughs by title; each begins with `**<title>.**`. */
const [, howTo = ''] = text.split('\n## How to add\n');
const [section = ''] = howTo.split('\n## ');
const walks = new Map(
  section.split(/\n(?=\*\*)/).flatMap((part) => {
    const title = /^\*\*(.+?)\.\*\*/.exec(part)?.[1];
    return title === undefined ? [] : [[title, part] as const];
  }),
);

const walk = (title: string): string => {
  const found = walks.get(title);
  if (found === undefined) throw new Error(`CONTRIBUTING.md has no walkthrough ${title}`);
  return found;
};

/** Files and folders that a walkthrough names. */
const pathsOf = (title: string): string[] =>
  [...walk(title).matchAll(/`((?:src|test)\/[\w./-]+)`|\]\((docs\/[\w./-]+)\)/g)].map(
    ([, code, link]) => code ?? link ?? '',
  );

describe('a walkthrough in CONTRIBUTING.md', () => {
  it('exists for each kind of change', () => {
    expect([...walks.keys()]).toEqual([
      'An upload option',
      'A download option',
      'A download format',
      'A connector',
      'A column type',
      'A job',
      'A table or column of PostgreSQL',
    ]);
  });

  it.each([...walks.keys()].filter((title) => !title.includes('PostgreSQL')))(
    '%s: names files that exist',
    (title) => {
      const paths = pathsOf(title);
      expect(paths.length).toBeGreaterThanOrEqual(3);
      expect(paths.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
      expect(paths.some((path) => path.startsWith('test/'))).toBe(true);
    },
  );

  it('names the table of upload options, and the document that describes each of them', () => {
    expect(pathsOf('An upload option')).toEqual(
      expect.arrayContaining(['src/uploads/options/table.ts', 'docs/uploads.md']),
    );
    const document = projectFile('docs/uploads.md');
    expect(Object.keys(uploadOptions).filter((name) => !document.includes(`\`${name}`))).toEqual([]);
  });

  it('names the list of jobs, each of which one file of src/compose starts', () => {
    expect(pathsOf('A job')).toEqual(expect.arrayContaining(['src/jobs/list.ts', 'src/compose/']));
    const sources = readdirSync(`${root}src/compose`).map((file) =>
      readFileSync(`${root}src/compose/${file}`, 'utf8'),
    );
    for (const name of Object.keys(jobList))
      expect(sources.join('').split(`'${name}'`), name).toHaveLength(2);
  });

  it('names the table of download options, and the document that describes each of them', () => {
    expect(pathsOf('A download option')).toEqual(
      expect.arrayContaining(['src/query/options/table.ts', 'docs/downloads.md']),
    );
    const document = projectFile('docs/downloads.md');
    const missing = Object.values(options).filter(({ name }) => !document.includes(`\`${name}`));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('names the tables of formats and column types; formats are documented, and each type has a file', () => {
    expect(pathsOf('A download format')).toContain('src/query/formats/formats.ts');
    expect(pathsOf('A column type')).toContain('src/model/column-types/column-types.ts');
    const document = projectFile('docs/downloads.md');
    expect(formatNames.filter((name) => !document.includes(name))).toEqual([]);
    const kinds = readdirSync(`${root}src/model/column-types`).filter(
      (file) => !file.startsWith('column-type'),
    );
    expect(kinds.length).toBe(Object.keys(columnTypes).length);
  });

  it('names the registry of connectors, each with payloads, a test and its lines in the document', () => {
    expect(pathsOf('A connector')).toEqual(
      expect.arrayContaining(['src/providers/registry.ts', 'test/unit/providers/', 'docs/providers.md']),
    );
    const payloads = readdirSync(`${root}test/fixtures/providers`);
    /** First cells of the table of units: `BIS, ECB, ILO, OECD`. */
    const documented = [...projectFile('docs/providers.md').matchAll(/^\| ([^|]+) \|/gm)].flatMap(
      ([, cell = '']) => cell.split(', ').map((name) => name.toLowerCase().replaceAll(' ', '')),
    );
    const tests = readdirSync(`${root}test/unit/providers`)
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => readFileSync(`${root}test/unit/providers/${file}`, 'utf8'));
    const replies = new Map(
      [...projectFile('docs/providers.md').matchAll(/^\| ([^|]+) \| (\d+) \|/gm)].map(
        ([, cell = '', files]) => [cell.toLowerCase().replaceAll(' ', ''), Number(files)],
      ),
    );
    for (const { slug, name } of allProviders) {
      expect(payloads, slug).toContain(slug);
      expect(replies.get(slug) ?? replies.get(name.toLowerCase().replaceAll(' ', '')), slug).toBe(
        readdirSync(`${root}test/fixtures/providers/${slug}`).length,
      );
      expect([slug, name.toLowerCase().replaceAll(' ', '')], slug).toContainEqual(
        expect.toSatisfy((written: string) => documented.includes(written)),
      );
      expect(
        tests.some((each) => each.includes(`'${slug}'`) || each.includes(`/${slug}`)),
        slug,
      ).toBe(true);
    }
  });

  it('follows a glossary of at least twenty words', () => {
    const [, words = ''] = text.split('\n## Words\n');
    expect(text.indexOf('\n## Words\n')).toBeLessThan(text.indexOf('\n## Run it\n'));
    expect(words.split('\n## ')[0]?.match(/^\| [a-z]/gm)?.length).toBeGreaterThanOrEqual(20);
  });
});
