import { describe, expect, it } from 'vitest';
import { compileCondition, createEmitter } from '../../../../src/query/filter/compiler.js';
import { compileFilter, type FilterColumn } from '../../../../src/query/filter/filter.js';
import { parseExact } from '../../../../src/query/filter/number-literal.js';
import { createParameters } from '../../../../src/query/filter/parameters.js';
import type { Condition } from '../../../../src/query/filter/typed.js';
import { columnsOf } from './columns.js';

const columns: FilterColumn[] = columnsOf({
  City: 's',
  Speed: 'f',
  Price: 'n38_2',
  Day: 'd',
  Old: 't',
  Huge: 'n76_0',
  Other: 's',
  Weight: 'f',
});

const compiled = (text: string) => {
  const { sql, params } = compileFilter(text, columns);
  return { sql, params };
};

describe('SQL of long chains', () => {
  const chain = (terms: number, word: string): string =>
    compiled(Array.from({ length: terms }, (_, at) => `Speed ne ${at}`).join(` ${word} `)).sql;

  it('keeps many tests joined by and in one expression', () => {
    expect(chain(200, 'and')).toMatch(/^\(\(NOT/);
    expect(chain(201, 'and')).toMatch(/^ifNull\(\(\(NOT .*\), 0\)$/s);
    expect(chain(201, 'or')).toMatch(/^\(\(NOT/);
  });
});

describe('SQL of comparisons', () => {
  it.each([
    ["City eq 'Oslo'", '(c1_s = {p0:String})', { p0: 'Oslo' }],
    ["City ne 'Oslo'", '(NOT (ifNull((c1_s = {p0:String}), 0)))', { p0: 'Oslo' }],
    ["'Oslo' lt City", '({p0:String} < c1_s)', { p0: 'Oslo' }],
    ['City eq Other', '((c1_s = c7_s) OR (isNull(c1_s) AND isNull(c7_s)))', {}],
    ['City eq null', 'isNull(c1_s)', {}],
    ['null ne City', '(NOT (isNull(c1_s)))', {}],
    ['City gt null', '0', {}],
    ['not (Speed lt 5)', '(NOT (ifNull((c2_f < {p0:Float64}), 0)))', { p0: 5 }],
    ['Speed eq 1 or Speed gt 1', '((c2_f = {p0:Float64}) OR (c2_f > {p0:Float64}))', { p0: 1 }],
    ['Speed lt Weight', '(c2_f < c8_f)', {}],
    ['Price ge 1.5', '(c3_n38_2 >= {p0:Decimal(38, 2)})', { p0: '1.50' }],
    [
      "Day eq 2020-01-31 and Old lt '1066'",
      '((c4_d = {p0:Date32}) AND (c5_t < {p1:String}))',
      { p0: '2020-01-31', p1: '1066-01-01' },
    ],
    ['Day ge Old', '(toString(c4_d) >= c5_t)', {}],
    ["City in ('a', 'b')", '(c1_s IN {p0:Array(String)})', { p0: ['a', 'b'] }],
    ["not (City in ('a', null))", '(NOT (ifNull((c1_s IN {p0:Array(String)}), 1)))', { p0: ['a'] }],
    ['City in ()', '0', {}],
    [
      'Price in (1, 2.5, 0.001)',
      "(c3_n38_2 IN CAST({p0:Array(String)}, 'Array(Decimal(38, 2))'))",
      { p0: ['1.00', '2.50'] },
    ],
    [
      "contains(City, 'a') and not endswith(City, 'b')",
      '((position(c1_s, {p0:String}) > 0) AND (NOT (endsWith(c1_s, {p1:String}))))',
      { p0: 'a', p1: 'b' },
    ],
    [
      "contains(City, 'a') and Speed add 1 gt 2 and Price gt 1 and Day eq 2020-01-31",
      expect.stringMatching(/^\(\(c3_n38_2 > .*\) AND \(c4_d = .*\) AND \(position\(c1_s.*c2_f/s),
      expect.anything(),
    ],
    [
      "contains(City, 'a') and Speed lt Weight and Day in (2020) and 5 lt Speed",
      "((c4_d IN CAST({p0:Array(String)}, 'Array(Date32)')) AND (c2_f > {p1:Float64}) AND (position(c1_s, {p2:String}) > 0) AND (c2_f < c8_f))",
      { p0: ['2020-01-01'], p1: 5, p2: 'a' },
    ],
    ['year(Day) eq 2020', '(toInt64(toYear(c4_d)) = {p0:Int64})', { p0: '2020' }],
    ['quarter(Day) eq 2', '(toInt64(toQuarter(c4_d)) = {p0:Int64})', { p0: '2' }],
    ['week(Day) eq 1', '(toInt64(toISOWeek(c4_d)) = {p0:Int64})', { p0: '1' }],
    [
      'startofmonth(Day) eq 2020-03-01',
      '((c4_d - (toDayOfMonth(c4_d) - 1)) = {p0:Date32})',
      { p0: '2020-03-01' },
    ],
    ['startofmonth(Old) eq null', 'isNull(c5_t)', {}],
    ["Day eq startofweek('2020-01-01')", '(c4_d = {p0:Date32})', { p0: '2019-12-30' }],
    ["Speed eq week('2021-01-03')", '(c2_f = {p0:Float64})', { p0: 53 }],
    ["Speed eq quarter('2020-12-31')", '(c2_f = {p0:Float64})', { p0: 4 }],
    ['true', '1', {}],
  ])('%s', (text, sql, params) => {
    expect(compiled(text)).toEqual({ sql, params });
  });
});

describe('SQL of values compared with each other', () => {
  const sqlOf = (condition: Condition): string =>
    compileCondition(condition, createEmitter(createParameters()));
  const operators = ['eq', 'lt', 'le', 'gt', 'ge'] as const;
  const number = (text: string) => ({ kind: 'number', value: parseExact(text)! }) as const;
  const date = (value: string) => ({ kind: 'date', value }) as const;

  it.each([
    ['1.5', '1.50', '10101'],
    ['-2', '1e3', '01100'],
    ['1e-9', '0', '00011'],
  ])('is the constant result for the numbers %s and %s', (left, right, answers) => {
    const found = operators.map((operator) =>
      sqlOf({ kind: 'compare', type: 'number', operator, left: number(left), right: number(right) }),
    );
    expect(found.join('')).toBe(answers);
  });

  it.each([
    ['2020-01-31', '2020-01-31', '10101'],
    ['0999-12-31', '2020-01-31', '01100'],
    ['2020-02-01', '2020-01-31', '00011'],
  ])('is the constant result for the dates %s and %s', (left, right, answers) => {
    const found = operators.map((operator) =>
      sqlOf({ kind: 'compare', type: 'date', operator, left: date(left), right: date(right) }),
    );
    expect(found.join('')).toBe(answers);
  });

  it('is the constant result for a value and a list', () => {
    const days = (values: readonly string[]) =>
      sqlOf({ kind: 'in', type: 'date', operand: date('2020-01-31'), values, orNull: false });
    const numbers = (values: readonly string[]) =>
      sqlOf({
        kind: 'in',
        type: 'number',
        operand: number('1.5'),
        values: values.map((text) => parseExact(text)!),
        orNull: true,
      });
    expect([days(['2019-01-31', '2020-01-31']), days(['2020-01-30'])]).toEqual(['1', '0']);
    expect([numbers(['1', '15e-1']), numbers(['1', '2'])]).toEqual(['1', '0']);
  });
});

describe('numbers that the column cannot hold', () => {
  it.each([
    ['Speed eq 0.10000000000000000001', '0', {}],
    ['Speed ne 0.10000000000000000001', '1', {}],
    ['Speed lt 0.10000000000000000001', '(c2_f <= {p0:Float64})', { p0: 0.1 }],
    ['Speed ge 0.10000000000000000001', '(c2_f > {p0:Float64})', { p0: 0.1 }],
    ['Speed lt 0.09999999999999999999', '(c2_f < {p0:Float64})', { p0: 0.1 }],
    ['Speed le 0.09999999999999999999', '(c2_f < {p0:Float64})', { p0: 0.1 }],
    ['Speed gt 0.09999999999999999999', '(c2_f >= {p0:Float64})', { p0: 0.1 }],
    ['Speed lt 1e400', '(NOT ((isNull(c2_f))))', {}],
    ['Speed gt 1e400', '0', {}],
    ['Speed gt 1e-400', '(c2_f > {p0:Float64})', { p0: 0 }],
    ['Speed ge -1e-400', '(c2_f >= {p0:Float64})', { p0: 0 }],
    ['Price eq 1.005', '0', {}],
    ['Price lt 1.005', '(c3_n38_2 <= {p0:Decimal(38, 2)})', { p0: '1.00' }],
    ['Price gt -1.005', '(c3_n38_2 > {p0:Decimal(38, 2)})', { p0: '-1.01' }],
    ['Price le 1e36', '(NOT ((isNull(c3_n38_2))))', {}],
    ['Price lt -1e36', '0', {}],
    ['Price gt 1e-999999999', '(c3_n38_2 > {p0:Decimal(38, 2)})', { p0: '0.00' }],
    ['Huge le 1e76', '(NOT ((isNull(c6_n76_0))))', {}],
    ['Huge eq 1e75', '(c6_n76_0 = {p0:Decimal(76, 0)})', { p0: `1${'0'.repeat(75)}` }],
    ['Day lt 2300-01-01', '(NOT ((isNull(c4_d))))', {}],
    ['Day eq 1899-12-31', '0', {}],
    [
      'Day in (1899-12-31, 1900-01-01)',
      "(c4_d IN CAST({p0:Array(String)}, 'Array(Date32)'))",
      { p0: ['1900-01-01'] },
    ],
  ])('%s', (text, sql, params) => {
    expect(compiled(text)).toEqual({ sql, params });
  });
});

describe('bound parameters', () => {
  it('contain every text of the caller, and the SQL contains none', () => {
    const marker = 'XMARKERX';
    const texts = [`'${marker}'`, `concat('${marker}', City)`, `tolower('${marker}')`];
    for (const text of texts) {
      const { sql, params } = compileFilter(`City eq ${text} or City in ('${marker}')`, columns);
      expect(sql).not.toContain(marker);
      expect(JSON.stringify(params)).toContain(marker);
    }
  });

  it('are numbered from p0 and shared by equal values', () => {
    const { params } = compileFilter("City eq 'a' or Other eq 'a' or City eq 'b'", columns);
    expect(params).toEqual({ p0: 'a', p1: 'b' });
  });

  it('stay below the number of form fields that ClickHouse accepts', () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `Speed eq ${at}`).join(' or ');
    const { params, sql } = compileFilter(many, columns);
    expect(Object.keys(params).length).toBeLessThan(100);
    expect(sql).toContain("(c2_f = CAST({p0:Array(String)}[2], 'Float64'))");
    // The first value, 0, is not a parameter: the SQL compares with it from both sides.
    expect((params.p0 as string[])[1]).toBe('2');
  });
});

describe('limits', () => {
  const fails = (text: string, limits = {}): string => {
    try {
      compileFilter(text, columns, limits);
    } catch (error) {
      return (error as Error).message;
    }
    return 'none';
  };

  it('of the length are in bytes', () => {
    const text = "City eq 'ä'";
    expect(fails(text, { maxBytes: 12 })).toBe('none');
    expect(fails(text, { maxBytes: 11 })).toBe('$filter, character 1: the filter is longer than 11 bytes');
  });

  it('of the SQL are in characters', () => {
    const text = 'City eq Other';
    const { length } = compiled(text).sql;
    expect(fails(text, { maxSqlLength: length })).toBe('none');
    expect(fails(text, { maxSqlLength: length - 1 })).toBe(
      '$filter, character 1: the filter is too complex; split it or calculate with fewer columns at once',
    );
  });

  it('allow 800 plain parameters; more are packed', () => {
    const chain = (terms: number): string =>
      Array.from({ length: terms }, (_, at) => `Speed eq ${at + 1}`).join(' or ');
    expect(Object.keys(compiled(chain(800)).params)).toHaveLength(800);
    expect(Object.keys(compiled(chain(801)).params)).toHaveLength(13);
  });

  it.each(['\ud800', 'City eq \ud800', "City eq '\udc00'"])('reject half a surrogate pair: %j', (text) => {
    expect(fails(text)).toMatch(/expected well-formed Unicode, found half of a surrogate pair$/);
  });
});

describe('normalised text', () => {
  const normal = (text: string) => compileFilter(text, columns).normalized;

  it.each([
    ['Speed eq 5', ' ( Speed  EQ 5.0 ) ', '[Speed] eq 0.5e1'],
    ['Day eq 2020-01-01', "Day eq '2020'", 'Day eq 2020Q1'],
    ["contains(City,'a')", "CONTAINS( [City] , 'a' )", "contains(City, 'a')"],
    ['Speed in (1,2)', 'Speed IN ( 1.0, 2e0 )', '(Speed) in (1, +2)'],
    ['Speed div 2 gt 1', 'Speed divby 2 gt 1', '(Speed DIV 2.0) gt 1'],
  ])('is the same for all spellings of %s', (...spellings) => {
    expect(new Set(spellings.map(normal)).size).toBe(1);
  });

  it('differs for filters with different meanings', () => {
    const texts = [
      "City eq 'a'",
      "Other eq 'a'",
      "City eq 'A'",
      "City eq '#2'",
      'City eq Other',
      "City in ('a')",
      "City ne 'a'",
    ];
    expect(new Set(texts.map(normal)).size).toBe(texts.length);
  });

  it('names columns by id, so that a rename keeps it', () => {
    const renamed = columns.map((column) => (column.id === 2 ? { ...column, name: 'Velocity' } : column));
    expect(compileFilter('Velocity gt 1', renamed).normalized).toBe(normal('Speed gt 1'));
  });
});
