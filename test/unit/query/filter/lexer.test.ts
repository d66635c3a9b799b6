import { describe, expect, it } from 'vitest';
import { createFailures } from '../../../../src/query/filter/failure.js';
import { compileFilter } from '../../../../src/query/filter/filter.js';
import { createLexer } from '../../../../src/query/filter/lexer.js';
import { createNameIndex } from '../../../../src/query/filter/names.js';
import { columnsOf } from './columns.js';

const columns = columnsOf({ City: 's', Speed: 'f' });

const outcome = (text: string, maxWork = 1_000_000): string => {
  try {
    return compileFilter(text, columns, { maxWork }).normalized;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a text literal', () => {
  it.each([
    ["''", ''],
    ["'it''s'", "it's"],
    ["''''", "'"],
    ["'a''''b'", "a''b"],
    ["' a, (b) '", ' a, (b) '],
  ])('%s is read without its quotes', (written, value) => {
    expect(outcome(`City eq ${written}`)).toBe(`eq(#1,${JSON.stringify(value)})`);
    expect(outcome(`City in (${written},'x')`)).toBe(`in(#1,${JSON.stringify(value)},"x")`);
  });
});

describe('a name that no column has', () => {
  it.each([
    ['true5 eq 1', 'true5'],
    ['not5 eq 1', 'not5'],
    ['a.5 eq 1', 'a.5'],
    ['[a {b] eq 1', 'a {b'],
    ['not (Nope ) or true', 'Nope'],
    ['Nope  nothing   gt 1', 'Nope  nothing'],
    ['contains(Nope, City)', 'Nope'],
  ])('is read up to an operator, a bracket or a comma: %s', (text, name) => {
    expect(() => compileFilter(text, columns)).toThrow(
      expect.objectContaining({
        code: 'unknown_column',
        details: expect.objectContaining({ columns: [name] }),
      }),
    );
  });

  it('ends before a word that ends the expression', () => {
    const lexer = (text: string, stops: readonly string[]) =>
      createLexer(text, createNameIndex(['City']), createFailures(text), 1_000, stops);
    const text = 'Some name AS x';
    expect(lexer(text, ['as']).operand(0)).toMatchObject({ name: 'Some name', known: false, end: 9 });
    expect(lexer(text, []).operand(0)).toMatchObject({ name: text });
    expect(lexer(text, ['as']).following(9)).toEqual({ kind: 'stop', word: 'as', start: 10, end: 12 });
    expect(lexer('(City)as x', ['as']).following(6)).toMatchObject({ kind: 'stop', word: 'as' });
    expect(() => lexer('City as x', []).following(4)).toThrow('expected an operator');
  });

  it('ends before has, which is not supported', () => {
    expect(outcome("Nope has 'x'")).toContain("character 6: the operator 'has' is not supported here");
  });
});

describe('a list in brackets', () => {
  it.each(['[ "a"] eq City', '[{}] eq City'])('is not a column name: %s', (text) => {
    expect(outcome(text)).toContain('collections (JSON arrays) are not supported here');
  });
});

describe('a number literal', () => {
  it('has at most 1,000 characters', () => {
    expect(outcome(`Speed lt ${'9'.repeat(1_000)}`)).toMatch(/^lt/);
    expect(outcome(`Speed lt ${'9'.repeat(1_001)}`)).toBe(
      '$filter, character 10: a number of more than 1000 characters',
    );
  });
});

describe('parsing work', () => {
  it.each([
    'true or true or true',
    `${'not '.repeat(20)}true`,
    `${'('.repeat(20)}true${')'.repeat(20)}`,
    `Speed eq ${'-'.repeat(10)}1`,
  ])('is ten times as much for an operand as for a token before it: %s', (text) => {
    expect(outcome(text, 320)).not.toContain('too complex');
    expect(outcome(text, 290)).toContain('too complex');
  });
});
