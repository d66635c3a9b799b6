import { describe, expect, it } from 'vitest';
import { compileSearch } from '../../../../src/query/filter/search.js';
import { columnsOf } from './columns.js';

const columns = columnsOf({ A: 's', B: 's', N: 'f' });

/** The normal form, with the tests of each term replaced by its text. */
const shape = (text: string): string =>
  compileSearch(text, columnsOf({ A: 's' })).normalized.replaceAll(
    /or\(and\(not\(isnull\(#1\)\),contains\(tolower\(#1\),tolower\(("[^)]*")\)\)\)\)/g,
    '$1',
  );

const messageOf = (text: string, of = columns): string => {
  try {
    compileSearch(text, of);
  } catch (error) {
    return String((error as Error).message);
  }
  return 'none';
};

describe('a search', () => {
  it('combines words and phrases with NOT before AND before OR', () => {
    expect(shape('red')).toBe('"red"');
    expect(shape('red blue')).toBe('and("red","blue")');
    expect(shape('red AND blue OR NOT green')).toBe('or(and("red","blue"),not("green"))');
    expect(shape('red (blue OR "dark green")')).toBe('and("red",or("blue","dark green"))');
    expect(shape('NOT NOT red')).toBe('not(not("red"))');
    expect(shape('and or not')).toBe('and("and","or","not")');
    expect(shape('"say \\"x\\" \\\\"')).toBe(JSON.stringify('say "x" \\'));
    expect(shape("it's 50% a_b")).toBe('and("it\'s","50%","a_b")');
  });

  it('searches only text columns, and matches nothing without one', () => {
    const { sql, params } = compileSearch('red', columns);
    expect(sql).not.toContain('c3');
    expect(params).toEqual({ s0: 'red' });
    expect(compileSearch('red OR blue', columnsOf({ N: 'f' })).sql).toBe('(0 OR 0)');
    expect(compileSearch('NOT red', columnsOf({ N: 'f' })).sql).toBe('1');
  });

  it('is a single test per term for many text columns', () => {
    const texts = (count: number) =>
      columnsOf(Object.fromEntries(Array.from({ length: count }, (_, at) => [`T${at}`, 's'])));
    expect(compileSearch('red', texts(64)).sql).not.toContain('arrayExists');
    const many = texts(65);
    const { sql, params } = compileSearch('red AND NOT "Dark Blue"', many);
    const cells = many.map((column) => column.sql).join(', ');
    const found = (name: string): string =>
      `arrayExists(cell -> ifNull(position(lowerUTF8(cell), lowerUTF8({${name}:String})) > 0, 0), [${cells}])`;
    expect(sql).toBe(`(${found('s0')} AND (NOT (${found('s1')})))`);
    expect(params).toEqual({ s0: 'red', s1: 'Dark Blue' });
  });

  it('binds its terms as parameters', () => {
    const { sql, params } = compileSearch("x';DROP", columns);
    expect(sql).not.toContain('DROP');
    expect(params).toEqual({ s0: "x';DROP" });
  });

  it('is rejected with the position of a mistake', () => {
    expect(messageOf('red AND')).toBe(
      '$search, character 8: expected a word or a "phrase", found the end of the search',
    );
    expect(messageOf('OR red')).toContain('character 1: expected a word');
    expect(messageOf('(red')).toContain("character 5: expected ')', AND or OR");
    expect(messageOf('red)')).toContain('character 4: expected the end of the search');
    expect(messageOf('red "blue')).toBe('$search, character 5: this double quote is never closed');
    expect(messageOf('red"blue')).toBe('$search, character 4: this double quote is never closed');
    expect(messageOf('red "')).toBe('$search, character 5: this double quote is never closed');
    expect(messageOf('red ""')).toContain('character 5: expected a text between the quotes');
    expect(messageOf('red \ud800')).toBe(
      '$search, character 5: expected well-formed Unicode, found half of a surrogate pair',
    );
    expect(messageOf('\ud800')).toContain('character 1: expected well-formed Unicode');
  });

  it('is limited in length and in tests per row', () => {
    expect(messageOf('x'.repeat(1_001))).toContain('longer than 1000 characters');
    expect(messageOf('('.repeat(1_000))).toContain('expected a word');
    const many = columnsOf(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`C${at}`, 's'])));
    expect(messageOf('a b c d', many)).toBe('none');
    expect(messageOf('a b c d e', many)).toContain('more than 20000 tests of each row');
  });
});
