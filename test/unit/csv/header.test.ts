import { describe, expect, it } from 'vitest';

import { headerNames, headerSteps } from '../../../src/csv/header.js';
import { checkText } from '../../../src/csv/text-check.js';
import { runAtOnce } from '../../../src/lib/time-slicing.js';

const names = (text: string, delimiter = ','): string[] =>
  runAtOnce(
    headerNames(
      runAtOnce(headerSteps(Buffer.from(text), 1, { delimiter: delimiter.charCodeAt(0), quote: 0x22 })),
    ),
  );

describe('the delimiter', () => {
  it.each([
    ['a,b,c', ','],
    ['a', ','],
    ['', ','],
    ['a;b', ';'],
    ['a\tb', '\t'],
    ['a|b', '|'],
    ['a|b,c', ','],
    ['name;price, EUR;date', ';'],
    ['id,name|alias,x', ','],
    ['"CHANELID";"ADDRESS"', ';'],
    ['"a,b,c,d";e', ';'],
    ['"a ""x"", b";c', ';'],
    ['5" a,b;c', ';'],
    ['Year;Imports, million;Exports, million', ';'],
    ['freq,unit,age,geo\\TIME_PERIOD\t2020 \t2021 ', '\t'],
    ['date,\tamount,\tquantity', ','],
    ['date\t;amount', ';'],
    ['"a\n;;;"|b\n,,,,', '|'],
    ['date,\t\tamount,\tquantity', ','],
    ['a;;b|c', '|'],
    ['a;;;b,,c', ';'],
  ])('of %j is %j', (header, delimiter) => {
    const { dialect } = runAtOnce(headerSteps(Buffer.from(header), 1, { delimiter: undefined }));
    expect(String.fromCharCode(dialect.delimiter)).toBe(delimiter);
  });

  it.each([
    ['Date,Rate (EUR; spot)', '2020-01-01,1.5', ','],
    ['Country,Year,GDP (US$; current; real)', 'Norway,2020,1', ','],
    ['Country,GDP (US$; current; PPP)', 'Norway,1', ','],
    ['id,name,first\tlast', '1,a,b', ','],
    ['id,full\tname', '1,a', ','],
    ['Year;Imports, million', '2020;5', ';'],
    ['Jahr;Einfuhr, Mio. EUR', '2020;1,5', ';'],
    ['freq,unit,age,geo\\TIME_PERIOD\t2020 \t2021 ', 'A,NR,T,DE\t5 \t6 ', '\t'],
    ['a;b,c', '"x;y",1', ','],
    ['a;b,c', '1,2,3,4', ';'],
    ['a;b,c', '', ';'],
  ])('of %j before %j is %j', (header, next, delimiter) => {
    const known = { delimiter: undefined };
    const { dialect } = runAtOnce(headerSteps(Buffer.from(header), 1, known, Buffer.from(next)));
    expect(String.fromCharCode(dialect.delimiter)).toBe(delimiter);
  });
});

describe('the header', () => {
  it('keeps names exactly as they are', () => {
    expect(names('Date, Open,"a ""b"", c","line\nbreak",#CHROM,name (en),المحافظة')).toEqual([
      'Date',
      ' Open',
      'a "b", c',
      'line\nbreak',
      '#CHROM',
      'name (en)',
      'المحافظة',
    ]);
    expect(names('x')).toEqual(['x']);
    expect(names('é'.repeat(1_000))).toEqual(['é'.repeat(1_000)]);
    expect(names('a|b', '|')).toEqual(['a', 'b']);
  });

  it.each([
    ['a,,c', 'column 2 of the header has no name'],
    ['a,b,', 'column 3'],
    ['a,"  "', 'column 2'],
    [',,', 'column 1, 2, 3'],
    ['a,b,a,c,b', 'names more than one column "a", "b"'],
    [`a,${'é'.repeat(1_001)}`, 'the name of column 2 is longer than 2000 bytes'],
    ['a,"b"c', 'malformed at a quote'],
    ['a, "b"', 'malformed at a quote'],
  ])('%j is refused with the message %s', (text, message) => {
    expect(() => names(text)).toThrow(message);
  });

  it.each([
    ['a,"b"c', 'malformed_header', { line: 3 }],
    ['a,,c,', 'empty_column_name', { line: 3, positions: [2, 4] }],
    [`${'é'.repeat(1_001)},b`, 'column_name_too_long', { line: 3, position: 1, maxBytes: 2_000 }],
    ['a\u202eb,c', 'invalid_column_name', { line: 3, position: 1 }],
    ['a,b,a,c,b', 'duplicate_column_name', { line: 3, names: ['a', 'b'] }],
  ])('%j is refused with code and position', (text, code, details) => {
    const read = () =>
      runAtOnce(headerNames(runAtOnce(headerSteps(Buffer.from(text), 3, { delimiter: 0x2c, quote: 0x22 }))));
    expect(read).toThrow(expect.objectContaining({ code, details }));
  });

  it('keeps a byte order mark that is not at the beginning of the file', () => {
    expect(names('a,\ufeffb')).toEqual(['a', '\ufeffb']);
  });

  it('keeps a quote inside an unquoted name', () => {
    expect(names('5"" tall,"5"" tall",b')).toEqual(['5"" tall', '5" tall', 'b']);
  });

  it('is read in steps of a few hundred names', () => {
    const text = Array.from({ length: 2_000 }, (_, at) => `c${at}`).join(',');
    const record = runAtOnce(headerSteps(Buffer.from(text), 1, { delimiter: 0x2c, quote: 0x22 }));
    const steps = [...headerNames(record)].length;
    // One after the pass over the bytes, two between checks, and four each for reading and comparing 2,000 names.
    expect(steps).toBe(11);
  });

  it('refuses bidirectional control characters', () => {
    expect(() => names('a,b\u202ec')).toThrow(
      'the name of column 2 contains bidirectional control characters',
    );
  });

  it('refuses more columns than a dataset may have', () => {
    const list = (count: number): string => Array.from({ length: count }, (_, i) => `c${i}`).join(',');
    expect(names(list(10_000))).toHaveLength(10_000);
    expect(() => names(list(10_001))).toThrow('The file has 10001 columns; at most 10000 are allowed.');
  });
});

describe('checkText', () => {
  const check = (bytes: Buffer, firstLine = 1) => checkText({ bytes, firstLine })?.message;

  it('accepts UTF-8', () => {
    expect(check(Buffer.from('é,🎁\n\r\nѣ\n'))).toBeUndefined();
  });

  it.each([
    ['a\0', 'nul_character'],
    ['\0', 'nul_character'],
    ['\xff\0', 'nul_character'],
    ['a\xff', 'invalid_utf8'],
    ['\xff\n', 'invalid_utf8'],
  ])('refuses %j with its code and line', (text, code) => {
    const bytes = Buffer.from(`a\n${text}`, 'latin1');
    expect(checkText({ bytes, firstLine: 7 })).toMatchObject({ code, details: { line: 8 } });
  });

  it.each([
    ['NUL', Buffer.from('a\r\nb\rc\nd\0'), 'Line 13: the file contains a NUL character'],
    ['NUL at the beginning', Buffer.from('\0a'), 'Line 10: the file contains a NUL character'],
    ['Latin-1', Buffer.from('a\nb\nJosé\n', 'latin1'), 'Line 12: the file is not valid UTF-8'],
    [
      'a cut character',
      Buffer.concat([Buffer.from('a\n'), Buffer.from([0xe2, 0x82])]),
      'Line 11: the file is not',
    ],
    ['a line after a blank one', Buffer.from('\n\xff\n', 'latin1'), 'Line 11: the file is not'],
    ['a surrogate', Buffer.from([0x61, 0xed, 0xa0, 0x80]), 'Line 10: the file is not'],
    ['an overlong form', Buffer.from([0xc0, 0xaf, 0x0a, 0x61]), 'Line 10: the file is not'],
  ])('names the line of %s', (_, bytes, message) => {
    expect(check(bytes, 10)).toContain(message);
  });
});
