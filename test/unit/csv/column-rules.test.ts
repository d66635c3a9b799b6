import { describe, expect, it } from 'vitest';
import { compileDateFormat, compileRules } from '../../../src/csv/column-rules.js';
import { dayOf, noDay } from '../../../src/csv/date-text.js';
import { expectShortTurns } from '../../support/pauses.js';
import { encodeColumn } from './reference.js';

describe('column rules', () => {
  it.each([
    ['%d/%m/%Y', '03/10/2024', '2024-10-03'],
    ['%m/%d/%Y', '3/7/2024', '2024-03-07'],
    ['%d-%b-%y', '14-Mar-14', '2014-03-14'],
    ['%d-%b-%y', '7-DEC-69', '1969-12-07'],
    ['%B %d, %Y', 'December 8, 2022', '2022-12-08'],
    ['%Y%m%d', '20200131', '2020-01-31'],
    ['%Y', '2020', '2020-01-01'],
    ['%m.%Y', '07.2021', '2021-07-01'],
    ['%%%Y', '%2020', '2020-01-01'],
  ])('date format %s reads %s as %s', (dateFormat, text, day) => {
    expect(encodeColumn('d', [text, '', 'NA'], { dateFormat })).toEqual([day, null, null]);
  });

  it.each([
    ['%d/%m/%Y', '3/1x/2024'],
    ['%d/%m/%Y', '/1/2024'],
    ['%d/%m/%Y', '03-10-2024'],
    ['%d/%m/%Y', '03/10/2024/'],
    ['%d/%m/%Y', '03/10/'],
    ['%d/%m/%Y', '03/10/20:4'],
    ['%d-%b-%y', '14-Mai-14'],
    ['%d-%b-%y', '14-Jan-1'],
    ['%B %Y', 'Mar 2020'],
    ['%b %Y', 'March 2020'],
    ['%Y-%m', '2020-1:'],
    ['%Y%m%d', '202001'],
    ['%%%Y', '2020'],
    ['%%%Y', '#2020'],
  ])('date format %s rejects "%s"', (dateFormat, text) => {
    const bytes = Buffer.from(`${text}0/2020`);
    expect(compileDateFormat(dateFormat)(bytes, 0, text.length)).toBe(noDay);
  });

  it('read full and abbreviated names of months in any case', () => {
    for (const [at, month] of ['January', 'february', 'SEPTEMBER'].entries()) {
      const day = ['2020-01-09', '2020-02-09', '2020-09-09'][at];
      expect(encodeColumn('d', [`9 ${month} 2020`], { dateFormat: '%d %B %Y' })).toEqual([day]);
      expect(encodeColumn('d', [`9${month.slice(0, 3)}2020`], { dateFormat: '%d%b%Y' })).toEqual([day]);
    }
  });

  it('say why a date format is invalid', () => {
    expect(() => compileDateFormat('%Y%')).toThrow('Date format "%Y%" ends in %');
    expect(() => compileDateFormat('%d/%m')).toThrow('Date format "%d/%m" has no year (%Y or %y)');
  });

  it.each([
    [undefined, true],
    [{}, true],
    [{ nullValues: ['x'] }, true],
    [{ decimal: '.' as const }, true],
    [{ decimal: ',' as const }, false],
    [{ dateFormat: '%Y' }, false],
    [{ bareYear: true }, false],
    [{ bareYear: false }, true],
  ])('allow the fast path for %j: %s', (rules, plain) => {
    expect(compileRules(rules).plain).toBe(plain);
  });

  it('with bareYear read exactly four digits as a year', () => {
    const { parseDay } = compileRules({ bareYear: true });
    const day = (text: string): number => parseDay(Buffer.from(`${text}0`), 0, text.length);
    expect(day('2020')).toBe(dayOf(2020, 1, 1));
    for (const text of ['202', '20205', '202:', '2O20', '20-1']) expect(day(text), text).toBe(noDay);
    expect(compileRules({ bareYear: false }).parseDay(Buffer.from('2020'), 0, 4)).toBe(noDay);
  });

  it('match additional null values against the whole field', () => {
    const { isNullText } = compileRules({ nullValues: ['ab', 'x'] });
    const isNull = (text: string) => isNullText?.(Buffer.from(`${text}b`), 0, text.length);
    expect(['ab', 'x', 'a', 'aa', 'bb', 'b', 'abb', 'xx'].filter(isNull)).toEqual(['ab', 'x']);
  });

  it('match null values with quotes, however the field has them', () => {
    const { isNullText } = compileRules({ nullValues: ['a"b', '5"'] });
    const isNull = (text: string, doubled: boolean) =>
      isNullText?.(Buffer.from(text), 0, doubled ? ~text.length : text.length);
    expect([isNull('a"b', false), isNull('a""b', true), isNull('5"', false), isNull('5""', true)]).toEqual(
      Array(4).fill(true),
    );
    expect([isNull('a""b', false), isNull('5""', false), isNull('a""c', true)]).toEqual(Array(3).fill(false));
  });

  it('take as long for many null values that are alike as for one', () =>
    expectShortTurns(async () => {
      const field = 'a'.repeat(1_000);
      const nullValues = Array.from({ length: 100 }, (_, i) => `${field.slice(3)}${100 + i}`);
      encodeColumn('s', Array<string>(4_000).fill(field), { nullValues });
    }));

  it.each(['31/02/2024', '1/2/24', '2024-10-03', '03/10/2024 ', 'x'])('refuse "%s" for %d/%m/%Y', (text) => {
    expect(encodeColumn('d', [text], { dateFormat: '%d/%m/%Y' })).toEqual({ misfit: text, line: 2 });
  });

  it('refuse a date format without a year, with an unknown directive, or ending in %', () => {
    expect(() => compileDateFormat('%d/%m')).toThrow(RangeError);
    expect(() => compileDateFormat('%Y-%j')).toThrow('%j');
    expect(() => compileDateFormat('%Y%')).toThrow(RangeError);
  });

  it('read bare years as dates only with bareYear', () => {
    expect(encodeColumn('d', ['2020', '2020-05'], { bareYear: true })).toEqual(['2020-01-01', '2020-05-01']);
    expect(encodeColumn('d', ['2020'])).toEqual({ misfit: '2020', line: 2 });
  });

  it('read numbers with a decimal comma', () => {
    expect(encodeColumn('f', ['1,5', '-0,25', '7', '1e3'], { decimal: ',' })).toEqual([
      '1.5',
      '-0.25',
      '7',
      '1000',
    ]);
    expect(encodeColumn('n38_2', ['12345678901234567,25'], { decimal: ',' })).toEqual([
      '12345678901234567.25',
    ]);
    expect(encodeColumn('f', ['1.5'], { decimal: ',' })).toEqual({ misfit: '1.5', line: 2 });
  });

  it('read additional null values as null in every type', () => {
    const rules = { nullValues: ['missing', '-9'] };
    expect(encodeColumn('d', ['missing', 'NA'], rules)).toEqual([null, null]);
    expect(encodeColumn('s', ['missing', 'NA', '-9', 'x'], rules)).toEqual([null, 'NA', null, 'x']);
    expect(encodeColumn('f', ['missing', '-9', '-9.0'], rules)).toEqual([null, null, '-9']);
    expect(encodeColumn('n38_0', ['-9', '9'], rules)).toEqual([null, '9']);
    const quoted = { nullValues: ['n"a'] };
    expect(encodeColumn('d', ['n"a', '2020-01-31'], quoted)).toEqual([null, '2020-01-31']);
    expect(encodeColumn('t', ['n"a', '1066-10-14'], quoted)).toEqual([null, '1066-10-14']);
    expect(encodeColumn('s', ['n"a', 'n"b'], quoted)).toEqual([null, 'n"b']);
    expect(encodeColumn('f', ['n"a', '1'], quoted)).toEqual([null, '1']);
    expect(encodeColumn('n38_0', ['n"a', '1'], quoted)).toEqual([null, '1']);
  });
});
