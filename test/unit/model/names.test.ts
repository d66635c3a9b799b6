import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  handleProblem,
  nameProblem,
  normaliseName,
  sourceUrlProblem,
  textProblem,
} from '../../../src/model/names.js';

describe('names', () => {
  it('are trimmed and composed', () => {
    expect(normaliseName('  Cafe\u0301 ')).toBe('Caf\u00e9');
  });

  it.each([
    ['', 'empty'],
    ['a\nb', 'control'],
    ['a\u007fb', 'control'],
    ['a\u2028b', 'control'],
    ['a\ud800b', 'control'],
    ['x'.repeat(256), '255'],
  ])('refuse %j', (name, word) => {
    expect(nameProblem(name)).toContain(word);
  });

  it.each(['x'.repeat(255), '\u{1F600}'.repeat(255), 'a/b', '<b>', "'; DROP TABLE x"])('take %j', (name) => {
    expect(nameProblem(name)).toBeUndefined();
  });

  it('stay the same when normalised twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(normaliseName(normaliseName(text))).toBe(normaliseName(text));
      }),
    );
  });
});

describe('handles of accounts and teams', () => {
  it.each(['ada', 'Ada Lovelace', 'ada@example.org', '日本', 'a-b_c.d', '7'])('take %j', (name) => {
    expect(handleProblem(name)).toBeUndefined();
  });

  it.each(['', ' ', '-a', 'a/b', 'a:b', 'a?b', 'Personal', 'x'.repeat(101), 'a\u0000'])(
    'refuse %j',
    (name) => {
      expect(handleProblem(name)).toBeTypeOf('string');
    },
  );
});

describe('texts and addresses', () => {
  it('refuse NUL, broken characters and excess', () => {
    expect(textProblem('a\0', 10)).toContain('NUL');
    expect(textProblem('\ud800', 10)).toContain('well-formed');
    expect(textProblem('x'.repeat(11), 10)).toContain('10');
    expect(textProblem('line\nbreak', 10)).toBeUndefined();
  });

  it.each(['http://example.org', 'https://example.org/a?b=c#d', 'HTTPS://EXAMPLE.ORG'])('take %s', (url) => {
    expect(sourceUrlProblem(url)).toBeUndefined();
  });

  it.each(['', 'example.org', 'ftp://x', 'javascript:alert(1)', 'file:///etc/passwd', 'https://', 'data:,x'])(
    'refuse %j',
    (url) => {
      expect(sourceUrlProblem(url)).toContain('http');
    },
  );
});
