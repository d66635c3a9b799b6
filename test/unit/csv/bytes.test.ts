import { describe, expect, it } from 'vitest';
import { countLineEnds, shownValue } from '../../../src/csv/bytes.js';

describe('the value of a field in an error message', () => {
  const shown = (text: string, doubledQuotes = false, before = '', after = ''): string => {
    const [start, field] = [Buffer.byteLength(before), Buffer.byteLength(text)];
    return shownValue(Buffer.from(before + text + after), start, start + field, doubledQuotes);
  };

  it.each([
    ['short', 'short'],
    ['', ''],
    ['x'.repeat(200), 'x'.repeat(200)],
    ['x'.repeat(201), 'x'.repeat(200)],
    ['🎁'.repeat(200), '🎁'.repeat(200)],
    ['🎁'.repeat(201), '🎁'.repeat(200)],
    ['a""b', 'a""b'],
  ])('is cut to 200 characters', (text, expected) => {
    expect(shown(text)).toBe(expected);
    expect(shown(text, false, 'é,', ',z')).toBe(expected);
  });

  it('has doubled quotes unescaped before it is cut', () => {
    expect(shown('a""b""""', true)).toBe('a"b""');
    expect(shown('""'.repeat(300), true)).toBe('"'.repeat(200));
  });
});

describe('countLineEnds', () => {
  it.each([
    ['', 0],
    ['a', 0],
    ['a\nb\n', 2],
    ['a\rb\r', 2],
    ['a\r\nb\r\n', 2],
    ['\n\r\r\n\n', 4],
  ])('counts the line ends of %j: %d', (text, count) => {
    expect(countLineEnds(Buffer.from(text), 0, text.length)).toBe(count);
  });

  it('counts only the line ends in a range', () => {
    const bytes = Buffer.from('\na\nb\r\nc\n');
    expect(countLineEnds(bytes, 1, 6)).toBe(2);
    // The range ends between CR and LF, so its line end is not counted.
    expect(countLineEnds(bytes, 1, 5)).toBe(1);
  });
});
