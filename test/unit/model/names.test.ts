import { describe, expect, it } from 'vitest';
import { nameProblem, sourceUrlProblem, textProblem } from '../../../src/model/names.js';

describe('names', () => {
  it.each([
    ['', 'empty'],
    [' \t ', 'empty'],
    ['a\nb', 'control'],
    ['a\u007fb', 'control'],
    ['a\u2028b', 'control'],
    ['abc\u202excod.exe', 'bidirectional'],
    ['\u2066a', 'bidirectional'],
    ['a\u200f', 'bidirectional'],
    ['a\u061c', 'bidirectional'],
    ['a\ud800b', 'control'],
    ['x'.repeat(256), '255'],
  ])('refuse %j', (name, word) => {
    expect(nameProblem(name)).toContain(word);
  });

  it.each([' x ', 'Cafe\u0301', 'x'.repeat(255), '\u{1F600}'.repeat(255), 'a/b', '<b>', "'; DROP TABLE x"])(
    'accept %j',
    (name) => {
      expect(nameProblem(name)).toBeUndefined();
    },
  );
});

describe('texts and addresses', () => {
  it('refuse NUL, unpaired surrogates and excessive length', () => {
    expect(textProblem('a\0', 10)).toContain('NUL');
    expect(textProblem('\ud800', 10)).toContain('well-formed');
    expect(textProblem('x'.repeat(11), 10)).toContain('10');
    expect(textProblem('line\nbreak', 10)).toBeUndefined();
  });

  it.each([
    'http://example.org',
    'https://example.org/a?b=c#d',
    'HTTPS://EXAMPLE.ORG',
    '',
    'example.org',
    'www.example.org/data table.csv',
    'localhost:8080/x',
    'ftp://x',
    'doi:10.1000/182',
    'mailto:data@example.org',
    'https://例え.jp/データ',
    'https://',
  ])('accept %j', (url) => {
    expect(sourceUrlProblem(url)).toBeUndefined();
  });

  it.each(['javascript:alert(1)', ' JaVaScRiPt:alert(1)', 'java\tscript:alert(1)', 'vbscript:x', 'data:,x'])(
    'refuse %j, which could run a script when shown as a link',
    (url) => {
      expect(sourceUrlProblem(url)).toContain('http');
    },
  );

  it('refuse an address that is too long', () => {
    expect(sourceUrlProblem(`https://example.org/${'x'.repeat(2048)}`)).toContain('2048');
  });
});
