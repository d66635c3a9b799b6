import { expect, it } from 'vitest';
import { projectFile } from './compose-file.js';

const text = projectFile('CHANGELOG.md');
const headings = text.split('\n').filter((line) => line.startsWith('## '));
const versionOf = (file: string): string => JSON.parse(projectFile(file)).version;

it('the change log starts with unreleased changes, then versions with their dates, newest first', () => {
  const [first, ...released] = headings;
  expect(first).toBe('## [Unreleased]');
  for (const heading of released)
    expect(heading).toMatch(/^## \[\d+\.\d+\.\d+\](?: - \d{4}-\d\d-\d\d| \(not released\))$/);
  const minors = released.map((heading) => Number(heading.split('.')[1]));
  expect(minors).toEqual([...minors].sort((a, b) => b - a));
});

it('the newest version of the change log is that of the package', () => {
  const newest = /\[(.+?)\]/.exec(headings[1] ?? '')?.[1];
  expect(versionOf('package.json')).toBe(newest);
  expect(versionOf('package-lock.json')).toBe(newest);
});

it('each version lists its changes under the usual headings, each at most once', () => {
  for (const part of text.split('\n## ').slice(1)) {
    const groups = [...part.matchAll(/^### (.+)$/gm)].map(([, name = '']) => name);
    expect(groups).toEqual([...new Set(groups)]);
    for (const name of groups)
      expect(['Breaking', 'Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).toContain(name);
  }
});
