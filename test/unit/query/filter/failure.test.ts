import { describe, expect, it } from 'vitest';
import { createFailures, excerpt, positionOf } from '../../../../src/query/filter/failure.js';
import { compileFilter } from '../../../../src/query/filter/filter.js';
import { columnsOf } from './columns.js';

describe('an excerpt', () => {
  it.each(['a', '😀'])('has at most 40 characters, however many UTF-16 units %s has', (character) => {
    const forty = character.repeat(40);
    expect(excerpt(forty)).toBe(forty);
    expect(excerpt(`${forty}b`)).toBe(`${forty}…`);
    expect(excerpt(character.repeat(100_000))).toBe(`${forty}…`);
  });
});

describe('a position', () => {
  it('counts characters from 1', () => {
    expect(['a😀b', '😀😀'].map((text) => positionOf(text, text.length))).toEqual([4, 3]);
    expect(positionOf('abc', 0)).toBe(1);
  });
});

describe('a failure', () => {
  it('names the next word, what was expected and where', () => {
    expect(createFailures('City  some_word.x@y$1-2').syntax(4, 'a value')).toMatchObject({
      code: 'filter_syntax',
      message: "$filter, character 5: expected a value, found 'some_word.x@y$1'",
      details: { position: 5, expected: 'a value' },
    });
  });

  it('says that a text is too complex', () => {
    expect(() => compileFilter('City eq 1', columnsOf({ City: 'f' }), { maxWork: 200 })).toThrow(
      expect.objectContaining({
        code: 'too_complex',
        message: 'The filter is too complex; shorten it, or write column names in brackets.',
      }),
    );
  });
});
