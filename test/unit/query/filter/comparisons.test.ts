import { describe, expect, it } from 'vitest';
import { compileFilter } from '../../../../src/query/filter/filter.js';
import { columnsOf } from './columns.js';

const columns = columnsOf({ City: 's', Speed: 'f', Price: 'n38_2', Day: 'd' });

const normal = (text: string, numbersInQuotes = false): string =>
  compileFilter(text, columns, { numbersInQuotes }).normalized;

describe('a date', () => {
  it.each([
    ["Day ge '2020-01-05'", "ge(#4,'2020-01-05')"],
    ["'2020-01-05' lt Day", "lt('2020-01-05',#4)"],
    ['2020 le Day', "le('2020-01-01',#4)"],
    ["'2020Q3' ne startofquarter(Day)", "not(eq('2020-07-01',startofquarter(#4)))"],
  ])('is compared with a text or a number that is read as a period: %s', (text, expected) => {
    expect(normal(text)).toBe(expected);
  });

  it('decides how a value next to it is read, before other columns do', () => {
    const years = columnsOf([
      ['2020', 'd'],
      ['2021', 'f'],
    ]);
    expect(compileFilter('2020 gt 2021', years).normalized).toBe("gt(#1,'2021-01-01')");
  });
});

describe('null', () => {
  it.each([
    ['null eq Day', 'isnull(#4)'],
    ['Day lt null', 'false'],
    ['null ne concat(City, null)', 'not(true)'],
    ['concat(City, null) eq null', 'true'],
    ["concat(City, null) in ('a', 5)", 'false'],
    ["concat(City, null) in ('a', null)", 'true'],
    ['Day in (2020, null)', "in(#4,'2020-01-01',null)"],
  ])('equals only null: %s', (text, expected) => {
    expect(normal(text)).toBe(expected);
  });
});

describe('numbers in quotes', () => {
  it.each([
    ["Price gt '1.50'", 'gt(#3,15e-1)'],
    ["'-1e3' le Price", 'le(-1e3,#3)'],
    ["Price in ('1', 2.5, null)", 'in(#3,1,25e-1,null)'],
    [`Price lt '${'9'.repeat(1_000)}'`, `lt(#3,${'9'.repeat(1_000)})`],
    ["City eq '5'", 'eq(#1,"5")'],
    ["Day eq '2020'", "eq(#4,'2020-01-01')"],
  ])(
    'are read as numbers next to an exact decimal column, if the protocol allows it: %s',
    (text, expected) => {
      expect(normal(text, true)).toBe(expected);
    },
  );

  it('are rejected elsewhere', () => {
    const hint = 'write the number without quotes';
    expect(() => normal("Price gt '1.50'")).toThrow(hint);
    expect(() => normal("Speed gt '1.50'", true)).toThrow(hint);
    expect(() => normal("Price add 1 gt '1.50'", true)).toThrow(hint);
    expect(() => normal('Price gt City', true)).toThrow('cannot be compared with the String column City');
  });

  it.each(['', 'abc', '1,5', '9'.repeat(1_001)])('must be numbers: %j', (text) => {
    expect(() => normal(`Price gt '${text}'`, true)).toThrow(
      /the text '.*' is no number, as the column needs$/,
    );
    expect(() => normal(`Price in ('${text}')`, true)).toThrow('is no number, as the column needs');
  });
});
