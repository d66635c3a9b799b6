import { describe, expect, it } from 'vitest';
import { announcedDelimiter, isDelimiterCandidate, likelyDelimiters } from '../../../src/csv/dialect.js';

describe('likely delimiters', () => {
  it('are comma, semicolon, tab and pipe, and no other byte', () => {
    const candidates = Array.from({ length: 256 }, (_, byte) => byte).filter(isDelimiterCandidate);
    expect(String.fromCharCode(...candidates)).toBe('\t,;|');
  });

  it.each([
    ['a,b', ','],
    ['a;b,c;d', ';,'],
    ['a|b\tc;d,e', '\t;,|'],
    ['a\tb\tc|d', '\t|'],
    ['abc', ''],
    ['', ''],
    // Delimiters in quotes do not count; a quote within a field does not open a quoted field.
    ['"a,b";c', ';'],
    ['x;"a,b,c"', ';'],
    ['"a"",b";c', ';'],
    ['"a"";;;"|b', '|'],
    ['5",b;c;d', ';,'],
    ['"a,b', ''],
    // Only the first record counts.
    ['a,b\nc;d;e', ','],
    ['a,b\rc;d;e', ','],
    ['"a\n;;"|b', '|'],
  ])('of %j are %j', (header, delimiters) => {
    expect(String.fromCharCode(...likelyDelimiters(Buffer.from(header)))).toBe(delimiters);
  });
});

describe('the delimiter announced by a line sep=', () => {
  it.each([
    ['sep=;', ';'],
    ['SEP=,', ','],
    ['sep=\t', '\t'],
    ['sep=|', '|'],
    ['sep=:', undefined],
    ['sep=', undefined],
    ['sep=;;', undefined],
    ['xsep=;', undefined],
    ['set=;', undefined],
  ])('of %j is %j', (record, delimiter) => {
    const found = announcedDelimiter(Buffer.from(record));
    expect(found === undefined ? undefined : String.fromCharCode(found)).toBe(delimiter);
  });
});
