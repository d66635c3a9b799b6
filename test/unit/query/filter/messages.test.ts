import { describe, expect, it } from 'vitest';
import { compileFilter } from '../../../../src/query/filter/filter.js';
import { columnsOf } from './columns.js';

const columns = columnsOf({ City: 's', Speed: 'f', Day: 'd', Price: 'n38_2' });

/** Position and message, without the name of the option. */
const messageOf = (text: string): string => {
  try {
    compileFilter(text, columns);
  } catch (error) {
    return (error as Error).message.replace(/^\$filter, character /, '');
  }
  return 'none';
};

describe('the message about operands that do not go together', () => {
  it.each([
    ['-City eq 1', "2: '-' needs a number, found the String column City"],
    ['-Day eq 1', "2: '-' needs a number, found the Date column Day"],
    ['City add 1 eq 1', "1: 'add' needs numbers, found the String column City"],
    [
      'Speed sub Day eq 1',
      "11: 'sub' needs numbers, found the Date column Day; dates can be compared, not calculated with",
    ],
    ["Speed mod 'x' eq 1", "11: 'mod' needs numbers, found the text 'x'"],
    ["contains(City, 'a') add 1 eq 2", "1: 'add' needs numbers, found a condition"],
    [
      "Speed eq 'abc'",
      "1: the Decimal column Speed cannot be compared with the text 'abc'; write the number without quotes",
    ],
    [
      'City eq 2020-01-31',
      "1: the String column City cannot be compared with the date 2020-01-31; quote it: '2020-01-31'",
    ],
    [
      '2020-01-31 ne City',
      "1: the date 2020-01-31 cannot be compared with the String column City; quote it: '2020-01-31'",
    ],
    ['5 lt City', "1: the number 5 cannot be compared with the String column City; quote it: '5'"],
    [
      "'abc' lt Speed",
      "1: the text 'abc' cannot be compared with the Decimal column Speed; write the number without quotes",
    ],
    ["5 eq contains(City, 'a')", '1: the number 5 cannot be compared with a condition'],
    ["'x' eq contains(City, 'a')", "1: the text 'x' cannot be compared with a condition"],
    ['2020-01-31 eq Speed', '1: the date 2020-01-31 cannot be compared with the Decimal column Speed'],
    ["concat(City, 'x') eq 2020-01-31", '1: a text cannot be compared with the date 2020-01-31'],
    ['City eq Speed', '1: the String column City cannot be compared with the Decimal column Speed'],
    ['Day eq Speed', '1: the Date column Day cannot be compared with the Decimal column Speed'],
    ['length(City) gt City', '1: a number cannot be compared with the String column City'],
    ["concat(City, 'x') gt Speed", '1: a text cannot be compared with the Decimal column Speed'],
    ["contains(City, 'a') gt 5", '1: a condition cannot be compared with the number 5'],
    [
      "Speed in (1, 'a')",
      "14: the Decimal column Speed cannot be compared with the text 'a'; write the number without quotes",
    ],
    ["City in ('a', 5)", "15: the String column City cannot be compared with the number 5; quote it: '5'"],
    [
      "Day in ('x')",
      "9: the text 'x' is no date; write a day (2020-01-31) or a period (2020-01, 2020Q1, 2020)",
    ],
    [
      'Day gt 20201',
      '8: the number 20201 is no date; write a day (2020-01-31) or a period (2020-01, 2020Q1, 2020)',
    ],
    [
      "contains(City, 'a') in (1)",
      "1: 'in' needs a text, number or date before it, found a condition; put arithmetic before 'in' in parentheses",
    ],
    ['contains(Speed, City)', '10: contains needs a text as argument 1, found the Decimal column Speed'],
    ['contains(City, 5)', '16: contains needs a text as argument 2, found the number 5'],
    ['year(City) eq 2020', '6: year needs a date as argument 1, found the String column City'],
    ["year('x') eq 2020", "6: year needs a date as argument 1, found the text 'x'"],
    ["round('2020-01-01') eq Speed", "7: round needs a number as argument 1, found the text '2020-01-01'"],
    ['round(Day) eq 1', '7: round needs a number as argument 1, found the Date column Day'],
    ['substring(City, 1.5) eq City', '17: substring counts in whole numbers from 0, found 1.5'],
    ['substring(City, 1, -1) eq City', '20: substring counts in whole numbers from 0, found -1'],
    [
      'not City',
      "5: expected a condition, found the String column City; compare it with a value, and put the operand of 'not' in parentheses",
    ],
    ['null', '1: expected a condition, found null'],
    [
      '1 eq 1',
      '1: this comparison names no column; write a column whose name looks like a value in brackets, as in [2020] gt 50',
    ],
    [
      '2 in (1, 2)',
      "1: this comparison names no column; put arithmetic before 'in' in parentheses, or write a column whose name looks like a value in brackets, as in [2020] gt 50",
    ],
  ])('%s', (text, message) => {
    expect(messageOf(text)).toBe(message);
  });
});

describe('nesting', () => {
  const limit = '1: more than 200 levels of nesting; use fewer parentheses or split the query';
  const grouped = (levels: number): string => `${'('.repeat(levels)}true${')'.repeat(levels)}`;
  const sum = (terms: number): string => `Speed${' add Speed'.repeat(terms)} eq 1`;

  it('is accepted up to 200 levels', () => {
    expect(messageOf(grouped(200))).toBe('none');
    expect(messageOf(grouped(201))).toBe(limit.replace('1:', '201:'));
    expect(messageOf(sum(198))).toBe('none');
    expect(messageOf(sum(199))).toBe(limit);
  });

  it('of functions startof… is accepted up to eight of them', () => {
    const nested = (count: number): string => {
      let day = 'Day';
      for (let at = 0; at < count; at += 1) day = `${at % 2 === 0 ? 'startofmonth' : 'startofweek'}(${day})`;
      return `${day} eq 2024-01-01`;
    };
    expect(messageOf(nested(8))).toBe('none');
    expect(messageOf(nested(9))).toBe('1: more than 8 functions startof… in one another');
  });

  it('is counted per position: any number of groups may follow each other', () => {
    expect(messageOf(Array.from({ length: 500 }, () => '(true)').join(' or '))).toBe('none');
  });
});
