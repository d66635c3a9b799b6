import { describe, expect, it } from 'vitest';
import type { StoredColumn } from '../../../src/model/column.js';
import { orderTerms, selectedColumns } from '../../../src/query/column-list.js';

const columns = ['a', 'b c', 'd,e', '5', 'price desc', '[x]', 'q"q', 'Ünï'].map(
  (name, index): StoredColumn => ({
    id: index + 1,
    storageId: index + 1,
    name,
    physical: 'f',
    dataType: 'Decimal',
    isEntity: false,
    description: null,
  }),
);

const names = (select: string | string[]) => selectedColumns(select, columns).map(({ name }) => name);

describe('$select', () => {
  it.each([
    ['a,b c', ['a', 'b c']],
    [' a , b c ', ['a', 'b c']],
    ['"d,e",a', ['d,e', 'a']],
    ['[d,e],[b c]', ['d,e', 'b c']],
    ['"q""q"', ['q"q']],
    ['[[x]]]', ['[x]']],
    ['"[x]"', ['[x]']],
    ['2,1', ['b c', 'a']],
    ['Ünï', ['Ünï']],
    ['a,1,"a"', ['a']],
  ])('reads %s', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it('reads digits without quotes as a name if a column has it, otherwise as an id', () => {
    expect(names('5')).toEqual(['5']);
    expect(names('"5"')).toEqual(['5']);
    expect(names('[5]')).toEqual(['5']);
    expect(names('4')).toEqual(['5']);
    expect(names('6')).toEqual(['[x]']);
  });

  it('accepts a name that contains brackets without more brackets', () => {
    expect(names('[x]')).toEqual(['[x]']);
  });

  it('does not split the items of a list', () => {
    expect(names(['d,e', '1'])).toEqual(['d,e', 'a']);
  });

  it('lists every unknown column once', () => {
    expect(() => names('x,a,y,x')).toThrow('Invalid column names: x, y ($select).');
  });

  it('suggests the nearest name', () => {
    expect(() => names('b_c')).toThrow('Did you mean b c?');
  });

  it.each([
    ['a,,b', 'empty item'],
    [',', 'empty item'],
    ['"a', 'at character 1 is not closed'],
    ['a, [b', 'at character 4 is not closed'],
    ['"a" b', 'expected a comma after a, found b'],
  ])('rejects %s', (text, reason) => {
    expect(() => names(text)).toThrow(reason);
  });
});

describe('$orderby', () => {
  const terms = (text: string) =>
    orderTerms(text, columns).map(({ column, descending }) => `${column.name}${descending ? ' ↓' : ' ↑'}`);

  it.each([
    ['a', ['a ↑']],
    ['a desc, b c ASC', ['a ↓', 'b c ↑']],
    ['b c  desc', ['b c ↓']],
    ['[d,e] desc,"q""q"', ['d,e ↓', 'q"q ↑']],
    ['price desc', ['price desc ↑']],
    ['price desc desc', ['price desc ↓']],
    ['1 desc', ['a ↓']],
    ['5 desc', ['5 ↓']],
    ['[x] desc', ['[x] ↓']],
    ['a,a desc', ['a ↑']],
  ])('reads %s', (text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  it('rejects other directions, and lists unknown columns', () => {
    expect(() => terms('[a] down')).toThrow('expected asc or desc after a, found down');
    expect(() => terms('zzzzzzzz desc,yyyyyyyy')).toThrow(
      'Invalid column names: zzzzzzzz, yyyyyyyy ($orderby).',
    );
  });
});
