import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../../../src/lib/errors.js';
import { compileFilter } from '../../../../src/query/filter/filter.js';
import { choicesArb, filterArb, tableArb } from '../../../support/odata-generator.js';
import { writeFilter } from '../../../support/odata-writer.js';
import { columnsOf } from './columns.js';

const columns = columnsOf([
  ['City', 's'],
  ['City of birth', 's'],
  ['Speed IAS in knots', 'f'],
  ['Speed', 'f'],
  ['Length (mm)', 'f'],
  ['a/b', 's'],
  ['x]y', 's'],
  ['not', 'f'],
  ['2020', 'f'],
  ['2020 GDP', 'f'],
  ['2020-01-01', 'f'],
  ["it's", 's'],
  ['größe €', 'f'],
  ['Day', 'd'],
  ['true', 's'],
  ['eq', 's'],
]);

const normal = (text: string): string => compileFilter(text, columns).normalized;

const errorOf = (text: string) => {
  try {
    compileFilter(text, columns);
  } catch (error) {
    if (isAppError(error))
      return { kind: error.kind, code: error.code, message: error.message, details: error.details };
    throw error;
  }
  throw new Error(`${text} was accepted`);
};

describe('column names', () => {
  it.each([
    ["City of birth eq 'x'", 'eq(#2,"x")'],
    ['Speed IAS in knots gt Speed', 'gt(#3,#4)'],
    ['Speed in (1)', 'in(#4,1)'],
    ["trim (City) eq concat  ('a', City)", 'eq(trim(#1),concat("a",#1))'],
    ['Length (mm) eq length (City)', 'eq(#5,length(#1))'],
    ['Length (mm) gt 5', 'gt(#5,5)'],
    ['length(City) gt 5', 'gt(length(#1),5)'],
    ["a/b eq 'x'", 'eq(#6,"x")'],
    ["[x]]y] eq 'x'", 'eq(#7,"x")'],
    ['[not] gt 1', 'gt(#8,1)'],
    ['[2020] gt 2020', 'gt(#9,202e1)'],
    ['2020 GDP gt 2020', 'gt(#10,#9)'],
    ['2020 GDP gt 2020.0', 'gt(#10,202e1)'],
    ['[2020-01-01] gt 1', 'gt(#11,1)'],
    ['Day eq 2020-01-01', "eq(#14,'2020-01-01')"],
    ["it's eq 'x'", 'eq(#12,"x")'],
    ['größe € gt 1', 'gt(#13,1)'],
    ["[true] eq 'x' and true", 'and(eq(#15,"x"),true)'],
    ["[eq] eq 'eq'", 'eq(#16,"eq")'],
  ])('%s', (text, expected) => {
    expect(normal(text)).toBe(expected);
  });

  it('are case-sensitive, and the nearest one is suggested', () => {
    expect(errorOf("city eq 'x'")).toMatchObject({
      code: 'unknown_column',
      message: 'Invalid column names: city ($filter, character 1); did you mean City instead of city?',
    });
  });

  it('with blanks at their ends are suggested in brackets', () => {
    expect(() => compileFilter('Open gt 1', columnsOf({ ' Open': 'f' }))).toThrow(
      'did you mean [ Open] instead of Open?',
    );
    expect(compileFilter('[ Open] gt 1', columnsOf({ ' Open': 'f' })).normalized).toBe('gt(#1,1)');
  });

  it.each(['City eq "Oslo"', 'City eq \u201cOslo\u201d', 'City eq \u2018Oslo\u2019'])(
    'are rejected in %s with a message about single quotes',
    (text) => {
      expect(() => compileFilter(text, columns)).toThrow('single quotes');
    },
  );

  it('that are unknown are listed in one error', () => {
    const { message, details } = errorOf(
      "Foo eq 1 and Some thing gt 2 or [Bar] lt 3 and contains(Baz, 'x') and Foo eq 2",
    );
    expect(message).toMatch(/^Invalid column names: Foo, Some thing, Bar, Baz /);
    expect(details).toMatchObject({ position: 1, columns: ['Foo', 'Some thing', 'Bar', 'Baz'] });
  });
});

describe('precedence', () => {
  it.each([
    ['true or false and not true', 'or(true,and(false,not(true)))'],
    ['Speed add 1 mul 2 eq 3', 'eq(add(#4,2),3)'],
    ['Speed sub 1 sub 2 eq 3', 'eq(sub(sub(#4,1),2),3)'],
    ['Speed mul 2 div 3 eq 3', 'eq(div(mul(#4,2),3),3)'],
    ['-Speed mul 2 eq 3', 'eq(mul(negate(#4),2),3)'],
    ['true eq Speed gt 1', 'eq(true,gt(#4,1))'],
    ['not Speed in (1)', 'not(in(#4,1))'],
    ['not (Speed gt 1) eq false', 'eq(not(gt(#4,1)),false)'],
    ['Speed eq --1', 'eq(#4,1)'],
    ['Speed eq -(1 add 2)', 'eq(#4,-3)'],
    ['Speed ne 1 AND Speed GT 2', 'and(not(eq(#4,1)),gt(#4,2))'],
  ])('%s', (text, expected) => {
    expect(normal(text)).toBe(expected);
  });
});

describe('periods', () => {
  it.each([
    ['2020-02-29', '2020-02-29'],
    ['2020-05', '2020-05-01'],
    ['2020Q2', '2020-04-01'],
    ['2020-q4', '2020-10-01'],
    ['2020M07', '2020-07-01'],
    ['2020-W01', '2019-12-30'],
    ['2020', '2020-01-01'],
    ["'2020-Q3'", '2020-07-01'],
    ["'2020/3/9'", '2020-03-09'],
    ["'2020-03-09T00:00:00Z'", '2020-03-09'],
    ["'2020-03-09T00:00:00.000+00:00'", '2020-03-09'],
    ["'2020-03-09 00:00:00'", '2020-03-09'],
  ])('%s is its first day', (text, day) => {
    expect(normal(`Day eq ${text}`)).toBe(`eq(#14,'${day}')`);
    expect(normal(`Day in (${text})`)).toBe(`in(#14,'${day}')`);
  });
});

describe('errors', () => {
  it.each([
    [
      '',
      'filter_syntax',
      1,
      "expected a column, a value, a function, 'not' or '(', found the end of the filter",
    ],
    ['City eq', 'filter_syntax', 8, 'found the end of the filter'],
    ["City eq 'x", 'filter_syntax', 9, 'expected a closing quote'],
    ['[City eq 5', 'filter_syntax', 1, "expected a closing bracket (']')"],
    ["😀'", 'filter_syntax', 2, 'found'],
    [
      "City eq 'x' Day",
      'filter_syntax',
      13,
      "expected an operator (eq, ne, gt, ge, lt, le, and, or, in, add, …), ')' or the end, found 'Day'",
    ],
    ["(City eq 'x'", 'filter_syntax', 13, "expected ')'"],
    ["City eq 'x')", 'filter_syntax', 12, "no '(' is open"],
    ['Speed eq 5x', 'filter_syntax', 11, "found 'x'"],
    ['Speed eq .5', 'filter_syntax', 10, 'a digit before the decimal point'],
    ['Day eq 2020-02-30', 'filter_syntax', 8, 'expected a day of the calendar'],
    ['Day eq 2020-04-31', 'filter_syntax', 8, 'expected a day of the calendar'],
    ['Day eq 2020-04-00', 'filter_syntax', 8, 'expected a day of the calendar'],
    ['Day eq 2020-00-01', 'filter_syntax', 8, 'expected a day of the calendar'],
    ['Day eq 2020-W00', 'filter_syntax', 8, 'expected a day of the calendar'],
    ['Day eq 2019-W53', 'filter_syntax', 8, 'expected a day of the calendar'],
    [
      'City eq 5',
      'filter_type',
      1,
      "the String column City cannot be compared with the number 5; quote it: '5'",
    ],
    ["Speed eq '5'", 'filter_type', 1, 'write the number without quotes'],
    ['City eq 2020-01-01', 'filter_type', 1, "quote it: '2020-01-01'"],
    ['Day add 1 eq 2020-01-01', 'filter_type', 1, 'dates can be compared, not calculated with'],
    ['Day eq City', 'filter_type', 1, 'cannot be compared'],
    ['not Speed gt 5', 'filter_type', 5, "put the operand of 'not' in parentheses"],
    ['Speed', 'filter_type', 1, 'expected a condition, found the Decimal column Speed'],
    ['null', 'filter_type', 1, 'expected a condition'],
    ['Speed add 1 in (1)', 'filter_type', 11, "put arithmetic before 'in' in parentheses"],
    ['substring(City, -1) eq null', 'filter_type', 17, 'whole numbers from 0'],
    ['City eq "x"', 'filter_syntax', 9, "expected a text in single quotes ('…')"],
    ["Day eq '2020-03-09T00:00:00+01:00'", 'filter_type', 8, 'is no date'],
    ['City/any(x:x eq 1)', 'filter_unsupported', 1, 'lambda operators (City/any) are not supported here'],
    ['A/B/all (x:x eq 1)', 'filter_unsupported', 1, 'lambda operators (A/B/all) are'],
    ['A/B eq 1', 'filter_unsupported', 1, 'navigation paths (A/B) are'],
    ['case(true:1) eq 1', 'filter_unsupported', 1, 'the function case is'],
    ["NS.search('x')", 'filter_unsupported', 1, "functions of a service's own (NS.search) are"],
    ["Day eq date'2020-01-01'", 'filter_unsupported', 8, "date'…' literals are"],
    ['PT1M30.5S eq null', 'filter_unsupported', 1, 'duration literals are not supported here'],
    ['Day sub P1D eq Day', 'filter_unsupported', 9, 'duration literals are'],
    ['PTA eq 1', 'unknown_column', 1, 'Invalid column names: PTA'],
    ["duration'P1D' eq null", 'filter_unsupported', 1, "duration'…' literals are not supported here"],
    ['Day gt 2020-01-01T10:00:00Z', 'filter_unsupported', 8, 'date-time literals'],
    ["City has Color'Red'", 'filter_unsupported', 6, "the operator 'has'"],
    ['cast(City, Edm.String) eq null', 'filter_unsupported', 1, 'cast is'],
    ['$it eq 1', 'filter_unsupported', 1, '$it'],
    ['Speed eq 5d', 'filter_unsupported', 10, 'the number suffix'],
    ['hour(Day) eq 1', 'filter_unsupported', 1, 'the time function hour'],
  ])('%s', (text, code, position, message) => {
    const error = errorOf(text);
    expect(error).toMatchObject({ kind: 'invalid', code, details: { position } });
    expect(error.message).toContain(message);
    expect(error.message).toContain(`character ${position}`);
  });
});

describe('bounds', () => {
  it.each([
    ['bytes', `City eq '${'ä'.repeat(32_770)}'`],
    ['parentheses', `${'('.repeat(201)}true${')'.repeat(201)}`],
    ['unclosed parentheses', '('.repeat(60_000)],
    ['signs', `Speed eq ${'-'.repeat(60_000)}1`],
    ['negations', `${'not '.repeat(15_000)}true`],
    ['calls', `${'trim('.repeat(10_000)}City${')'.repeat(10_000)} eq ''`],
    ['sums', `Speed${' add 1'.repeat(8_000)} eq 1`],
    ['comparisons', `Speed gt 1${' eq true'.repeat(5_000)}`],
    ['digits', `Speed lt ${'9'.repeat(1_001)}`],
    ['values of a list', `Speed in (${'1,'.repeat(1_000)}1)`],
  ])('of %s are reported', (_, text) => {
    expect(errorOf(text)).toMatchObject({ kind: 'invalid', code: 'filter_limit' });
  });

  it('allow long flat chains', () => {
    const text = Array.from({ length: 6_000 }, () => 'true').join(' or ');
    expect(normal(text).startsWith('or(true,true')).toBe(true);
  });

  it('allow large exponents without writing the number out', () => {
    expect(normal('Speed lt 1e999999999')).toBe('lt(#4,1e1000000)');
    expect(normal(`Speed lt ${'9'.repeat(1_000)}`)).toContain('999');
    expect(normal('Speed mul 1e999999 add 1 gt 1e-999999')).toContain('gt(');
  });
});

describe('any text of a caller', () => {
  const survives = (text: string): boolean => {
    try {
      compileFilter(text, columns);
      return true;
    } catch (error) {
      return isAppError(error) && error.kind === 'invalid';
    }
  };
  const words = [
    'eq',
    'ne',
    'lt',
    'and',
    'or',
    'not',
    'in',
    'add',
    'div',
    'mod',
    '(',
    ')',
    ',',
    "'",
    "''",
    '[',
    ']',
    ']]',
    '-',
    '+',
    '.',
    '1',
    '1e9',
    '2020',
    '2020Q1',
    '2020-01-01',
    'null',
    'true',
    'City',
    'Speed',
    'Day',
    'Speed IAS in knots',
    "'a'",
    'contains(',
    'substring(',
    'round(',
    'year(',
    '/',
    '$',
    '@',
    '{',
    '\\',
    '\u0000',
    '\ud800',
    '😀',
    ' ',
    ' ',
    ' ',
    '\t',
    '\n',
  ];

  it('is compiled or rejected with a clear error, in 10,000 random texts', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), survives), { numRuns: 10_000 });
  });

  it('is compiled or rejected with a clear error, in 20,000 sequences of words', () => {
    const heap = fc.array(fc.constantFrom(...words), { maxLength: 24 }).map((parts) => parts.join(''));
    const spaced = fc.array(fc.constantFrom(...words), { maxLength: 24 }).map((parts) => parts.join(' '));
    fc.assert(fc.property(fc.oneof(heap, spaced), survives), { numRuns: 20_000 });
  });

  it('is compiled if it is a generated filter, with one result for two spellings', () => {
    const table = fc.sample(tableArb, { seed: 1, numRuns: 1 })[0];
    const known = (table?.columns ?? []).map((column) => ({ ...column, sql: `c${column.id}` }));
    fc.assert(
      fc.property(filterArb, choicesArb, choicesArb, (filter, first, second) => {
        const [left, right] = [first, second].map((choices) =>
          compileFilter(writeFilter(filter, choices), known),
        );
        expect(left).toEqual(right);
      }),
      { numRuns: 2_000 },
    );
  });
});
