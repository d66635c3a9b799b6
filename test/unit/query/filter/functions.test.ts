import { describe, expect, it } from 'vitest';
import { compileFilter } from '../../../../src/query/filter/filter.js';
import { columnsOf } from './columns.js';

const columns = columnsOf({ City: 's', Speed: 'f', Day: 'd', Other: 's', '2.5': 's' });

const normal = (text: string): string => compileFilter(text, columns).normalized;

describe('a function', () => {
  it.each([
    ["concat(City, 'a') eq Other", 'eq(concat(#1,"a"),#4)'],
    ["indexof(City, 'a') eq 2", 'eq(indexof(#1,"a"),2)'],
    ['substring(City, 1) eq Other', 'eq(substring(#1,1),#4)'],
    ['substring(City, 2, 0) eq Other', 'eq(substring(#1,2,0),#4)'],
    ['substring(City, Speed, length(Other)) eq Other', 'eq(substring(#1,#2,length(#4)),#4)'],
    ['startofweek(Day) eq 2020-01-27', "eq(startofweek(#3),'2020-01-27')"],
    ['floor(2.5) eq Speed', 'eq(floor(25e-1),#2)'],
    ['tolower(City) eq toupper(Other)', 'eq(tolower(#1),toupper(#4))'],
    ['ceiling(Speed) eq round(Speed)', 'eq(ceiling(#2),round(#2))'],
    ["trim(City) in ('a', 'b')", 'in(trim(#1),"a","b")'],
    // A column whose name looks like a value is a column, not a number that must be whole.
    ['substring(2.5, 1) eq City', 'eq(substring(#5,1),#1)'],
  ])('keeps the order of its arguments: %s', (text, expected) => {
    expect(normal(text)).toBe(expected);
  });

  it.each([
    ["year('2020-W53') eq Speed", 'eq(202e1,#2)'],
    ["quarter('2020-04-01') eq Speed", 'eq(2,#2)'],
    ["month('2020-04-30') eq Speed", 'eq(4,#2)'],
    ["week('2021-01-03') eq Speed", 'eq(53,#2)'],
    ["week('2018-12-31') eq Speed", 'eq(1,#2)'],
    ["week('2020-01-05') eq Speed", 'eq(1,#2)'],
    ["week('2020-01-06') eq Speed", 'eq(2,#2)'],
    ["week('0001-01-01') eq Speed", 'eq(1,#2)'],
    ['day(2020-04-17) eq Speed', 'eq(17,#2)'],
    ["startofyear('2020-12-31') eq Day", "eq('2020-01-01',#3)"],
    ["startofquarter('2020-03-31') eq Day", "eq('2020-01-01',#3)"],
    ["startofquarter('2020-12-31') eq Day", "eq('2020-10-01',#3)"],
    ["startofmonth('2020-12-31') eq Day", "eq('2020-12-01',#3)"],
    ["startofweek('2020-03-02') eq Day", "eq('2020-03-02',#3)"],
    ["startofweek('2020-03-01') eq Day", "eq('2020-02-24',#3)"],
    ["startofweek('0099-01-04') eq Day", "eq('0098-12-29',#3)"],
  ])('of a date literal is folded to its value: %s', (text, expected) => {
    expect(normal(text)).toBe(expected);
  });

  it.each([
    ['length(null) eq Speed', 'isnull(#2)'],
    ['concat(City, null) eq Other', 'isnull(#4)'],
    ['substring(City, 1, null) eq Other', 'isnull(#4)'],
    ['year(null) eq Speed', 'isnull(#2)'],
    ['startofyear(null) eq Day', 'isnull(#3)'],
    ['contains(City, null)', 'null'],
    ['startswith(null, City)', 'null'],
    ['endswith(City, null)', 'null'],
  ])('of null is null: %s', (text, expected) => {
    expect(normal(text)).toBe(expected);
  });

  it.each(['contains', 'startswith', 'endswith'])('%s of null is still a condition', (name) => {
    expect(() => normal(`${name}(City, null) eq 5`)).toThrow(
      'a condition cannot be compared with the number 5',
    );
    expect(normal(`${name}(City, null) eq ${name}(City, 'a')`)).toBe(`eq(null,${name}(#1,"a"))`);
  });
});

describe('arithmetic', () => {
  it.each([
    ['null and Speed gt 1', 'and(null,gt(#2,1))'],
    ['Speed eq -null', 'isnull(#2)'],
    ['null add 1 eq Speed', 'isnull(#2)'],
    ['1 sub null eq Speed', 'isnull(#2)'],
    ['Speed eq 1 div 0', 'isnull(#2)'],
    ['Speed eq 1 mod 0', 'isnull(#2)'],
    ['Speed eq -(2.5)', 'eq(#2,-25e-1)'],
    ['Speed eq -(1 add 2)', 'eq(#2,-3)'],
    ['-Speed lt -(Speed add 1)', 'lt(negate(#2),negate(add(#2,1)))'],
    ['Speed eq 1 add 2 mul 3', 'eq(#2,7)'],
    ['Speed gt 1e20 add 1', 'gt(#2,add(1e20,1))'],
  ])('of null is null, and of literals their result unless it is very long: %s', (text, expected) => {
    expect(normal(text)).toBe(expected);
  });
});
