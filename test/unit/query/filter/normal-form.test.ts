import { describe, expect, it } from 'vitest';
import { compileFilter } from '../../../../src/query/filter/filter.js';
import { compileSearch } from '../../../../src/query/filter/search.js';
import { columnsOf } from './columns.js';

const columns = columnsOf({ Text: 's', Name: 's', Speed: 'f', Limit: 'n38_2', Day: 'd', Moment: 't' });

const normal = (text: string): string => compileFilter(text, columns).normalized;

describe('the normal form', () => {
  it.each([
    // Texts
    [`Text  eq 'say "x"'`, String.raw`eq(#1,"say \"x\"")`],
    ["concat(Text,'a') eq Name", 'eq(concat(#1,"a"),#2)'],
    ['tolower(Text) eq toupper(Name)', 'eq(tolower(#1),toupper(#2))'],
    ["trim(Text) ne 'a'", 'not(eq(trim(#1),"a"))'],
    ["substring(Text,1) eq 'a'", 'eq(substring(#1,1),"a")'],
    ["substring(Text,1,2) eq 'a'", 'eq(substring(#1,1,2),"a")'],
    ["contains(Text,'a') and startswith(Text,Name)", 'and(contains(#1,"a"),startswith(#1,#2))'],
    ["endswith(Text,'a') or Text eq null", 'or(endswith(#1,"a"),isnull(#1))'],
    // Numbers
    ['Speed gt 1.50', 'gt(#3,15e-1)'],
    ['Speed add 1 lt Limit sub 2', 'lt(add(#3,1),sub(#4,2))'],
    ['Speed mul 3 le (Limit div 4)', 'le(mul(#3,3),div(#4,4))'],
    ['Speed mod 3 ge -Limit', 'ge(mod(#3,3),negate(#4))'],
    ['round(Speed) eq floor(Limit)', 'eq(round(#3),floor(#4))'],
    ['ceiling(Speed) eq null', 'isnull(ceiling(#3))'],
    ["length(Text) gt indexof(Text,'a')", 'gt(length(#1),indexof(#1,"a"))'],
    ['year(Day) eq quarter(Moment)', 'eq(year(#5),quarter(#6))'],
    ['month(Day) eq week(Moment)', 'eq(month(#5),week(#6))'],
    ['day(startofweek(Day)) eq 1', 'eq(day(startofweek(#5)),1)'],
    // Dates
    ['Day eq 2020-01', "eq(#5,'2020-01-01')"],
    ['startofyear(startofmonth(Moment)) lt Day', 'lt(startofyear(startofmonth(#6)),#5)'],
    ['startofquarter(Day) eq null', 'isnull(startofquarter(#5))'],
    // Conditions
    ['(Speed gt 1) eq (Text eq null)', 'eq(gt(#3,1),isnull(#1))'],
    ['(Speed gt 1) eq null', 'isnull(gt(#3,1))'],
    ['true OR not null', 'or(true,not(null))'],
    // Lists
    ['Speed in (1,2.50)', 'in(#3,1,25e-1)'],
    ["Text in ('a',null,'b')", 'in(#1,"a","b",null)'],
    ['Day in (2020-01-31,2021Q2)', "in(#5,'2020-01-31','2021-04-01')"],
    ['Speed in ()', 'in(#3)'],
  ])('of %s is %s', (text, expected) => {
    expect(normal(text)).toBe(expected);
  });

  it('of a search in many columns is that of a condition for each of them', () => {
    const many = columnsOf(Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`T${at}`, 's'])));
    const each = many.map(({ id }) => `and(not(isnull(#${id})),contains(tolower(#${id}),tolower("red")))`);
    expect(compileSearch('red', many).normalized).toBe(`or(${each.join()})`);
  });
});
