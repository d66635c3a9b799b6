import { describe, expect, it } from 'vitest';
import { isAppError } from '../../../../src/lib/errors.js';
import { compileFilter } from '../../../../src/query/filter/filter.js';
import { columnsOf } from './columns.js';

const names = [
  ...['1', '-1', '+1', '1.5', '1e3', '007', '2020', '2020Q1', '2020-Q1', '2020M01', '2020-W01', '2024-01'],
  ...['2024-01-01', '2024-13-45', '2024-01-01T00:00', '12:30', '5d', '.5', '1.', '5%', '0x10', 'NaN', 'INF'],
  ...['null', 'NULL', 'true', 'True', 'false', 'not', 'in', 'eq', 'ne', 'and', 'or', 'add', 'divby', 'has'],
  ...['year', 'length', 'contains', "'it'", '[x]', '(x)', '-', 'P1D', '$it', '@a', 'a/b', 'x eq 1'],
];

const normal = (text: string, columns: Parameters<typeof columnsOf>[0]): string =>
  compileFilter(text, columnsOf(columns)).normalized;

const codeOf = (text: string, columns: Parameters<typeof columnsOf>[0]): string => {
  try {
    compileFilter(text, columnsOf(columns));
    return 'accepted';
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
};

describe.each(names)('a column called %s', (name) => {
  const single = [[name, 'f']] as const;
  const withValue = [
    ['Country', 's'],
    [name, 'f'],
    ['Value', 'f'],
    ['Day', 'd'],
  ] as const;

  it('is the column on the left of a comparison, and next to a value', () => {
    expect(normal(`${name} gt 50`, single)).toBe('gt(#1,5e1)');
    expect(normal(`50 lt ${name}`, single)).toBe('lt(5e1,#1)');
    expect(normal(`${name} in (50, 51)`, single)).toBe('in(#1,5e1,51)');
    expect(normal(`not (${name} ge 50)`, single)).toBe('not(ge(#1,5e1))');
    expect(normal(`${name} add 1 gt 50`, single)).toBe('gt(add(#1,1),5e1)');
    expect(normal(`round(${name}) gt 50`, single)).toBe('gt(round(#1),5e1)');
    expect(normal(`${name} eq null`, single)).toBe('isnull(#1)');
  });

  it('is the column among other columns', () => {
    expect(normal(`${name} gt 50`, withValue)).toBe('gt(#2,5e1)');
    expect(normal(`${name} gt Value`, withValue)).toBe('gt(#2,#3)');
    expect(normal(`Country eq 'x' and ${name} le 50 or Value gt 7`, withValue)).toBe(
      'or(and(eq(#1,"x"),le(#2,5e1)),gt(#3,7))',
    );
    if (name !== "'it'") expect(normal(`Value lt ${name}`, withValue)).toBe('lt(#3,#2)');
  });

  it('is the column in brackets, whatever is next to it', () => {
    const bracketed = `[${name.replaceAll(']', ']]')}]`;
    expect(normal(`Value lt ${bracketed}`, withValue)).toBe('lt(#3,#2)');
    expect(normal(`${bracketed} gt Value`, withValue)).toBe('gt(#2,#3)');
  });
});

describe('a literal that is also a column name', () => {
  const years = [
    ['Country', 's'],
    ['2019', 'f'],
    ['2020', 'f'],
    ['Day', 'd'],
    ['2024-01-01', 'f'],
    ['null', 'f'],
    ['true', 's'],
    ['not', 'f'],
    ['in', 'f'],
  ] as const;

  it.each([
    ['2020 gt 2019', 'gt(#3,#2)'],
    ['2020 sub 2019 gt 5', 'gt(sub(#3,#2),5)'],
    // The same column twice: the second is a value.
    ['2020 gt 2020', 'gt(#3,202e1)'],
    ['[2020] gt 2020', 'gt(#3,202e1)'],
    ['2019 gt 2020.0', 'gt(#2,202e1)'],
    // A value next to a calculation, in a list, and where no column is allowed.
    ['year(Day) eq 2020', 'eq(year(#4),202e1)'],
    ['2019 in (2019, 2020)', 'in(#2,2019,202e1)'],
    ['Day ge 2024-01-01', "ge(#4,'2024-01-01')"],
    ['Day ge 2020', "ge(#4,'2020-01-01')"],
    ['2024-01-01 gt 5', 'gt(#5,5)'],
    ["contains(Country, 'x') eq true", 'eq(contains(#1,"x"),true)'],
    ["true eq contains(Country, 'x')", 'eq(true,contains(#1,"x"))'],
    ["true eq 'x' and true", 'and(eq(#7,"x"),true)'],
    ['Country eq null', 'isnull(#1)'],
    ['not (2020 gt 1)', 'not(gt(#3,1))'],
    ['not (not gt 1)', 'not(gt(#8,1))'],
    ['not in (1)', 'in(#8,1)'],
    ['not in in (1)', 'not(in(#9,1))'],
    ['substring(Country, 2020) eq null', 'isnull(substring(#1,202e1))'],
    ['substring(Country, not, 2) eq null', 'isnull(substring(#1,#8,2))'],
    ['round(not) in (1)', 'in(round(#8),1)'],
  ])('%s', (text, expected) => {
    expect(normal(text, years)).toBe(expected);
  });

  it('with a type that fits nowhere is rejected with the way to write the value', () => {
    expect(() => normal('Country eq 2020', years)).toThrow("quote it: '2020'");
  });
});

describe('a comparison without a column', () => {
  it.each([
    '2020 gt 50',
    '1 eq 1',
    "'a' eq 'b'",
    'null eq null',
    'true eq false',
    '2 in (1, 2)',
    "length('abc') eq 3",
    '2024-01-01 ge 2023-01-01',
    'Value gt 1 and 1 eq 1',
    '(2020) gt 50',
    '-1 lt 0',
  ])('is rejected: %s', (text) => {
    expect(codeOf(text, { Value: 'f' })).toBe('filter_type');
    expect(() => normal(text, { Value: 'f' })).toThrow('in brackets, as in [2020] gt 50');
  });

  it.each([
    'year(2024-01-01) eq 2024',
    '2020 add 1 eq 2021',
    '1 add 2020 eq 2021',
    '(2020 add 1) in (2021)',
    "contains('a', '2020') eq true",
  ])('is rejected if a column of another type has a value as its name: %s', (text) => {
    const columns = { '2024-01-01': 'f', '2020': 's', "'2020'": 'f' } as const;
    expect(() => normal(text, columns)).toThrow('in brackets, as in [2020] gt 50');
  });

  it('is accepted if one of its values is read as a column', () => {
    const columns = { '2020': 'f', '2021': 's', Day: 'd' } as const;
    expect(normal('2020 add 1 eq 2021', columns)).toBe('eq(add(#1,1),2021)');
    expect(normal('2021 add 2020 eq 2021', columns)).toBe('eq(add(2021,#1),2021)');
    expect(normal('year(Day) add 1 eq 2022', columns)).toBe('eq(add(year(#3),1),2022)');
    expect(normal("concat(2021, 'x') eq 'yx'", columns)).toBe('eq(concat(#2,"x"),"yx")');
  });
});
