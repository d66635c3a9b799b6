import { describe, expect, it } from 'vitest';
import { countLineEnds, shownValue } from '../../../src/csv/bytes.js';

describe('the text of a field in a message', () => {
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
  ])('is its first 200 characters', (text, expected) => {
    expect(shown(text)).toBe(expected);
    expect(shown(text, false, 'é,', ',z')).toBe(expected);
  });

  it('has quotes that are doubled once', () => {
    expect(shown('a""b""""', true)).toBe('a"b""');
    expect(shown('""'.repeat(300), true)).toBe('"'.repeat(200));
  });
});

describe('line ends', () => {
  it.each([
    ['', 0],
    ['a', 0],
    ['a\nb\n', 2],
    ['a\rb\r', 2],
    ['a\r\nb\r\n', 2],
    ['\n\r\r\n\n', 4],
  ])('of %j are %d', (text, count) => {
    expect(countLineEnds(Buffer.from(text), 0, text.length)).toBe(count);
  });

  it('are counted between two positions', () => {
    const bytes = Buffer.from('\na\nb\r\nc\n');
    expect(countLineEnds(bytes, 1, 6)).toBe(2);
    // The LF behind the range ends the line.
    expect(countLineEnds(bytes, 1, 5)).toBe(1);
  });
});
