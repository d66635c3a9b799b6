import { expect, it } from 'vitest';
import { isSpaceAt } from '../../../../src/query/filter/space.js';
import { operatorWordAt, stopWordAt, wordAt } from '../../../../src/query/filter/words.js';

it('white space is the same as \\s', () => {
  const differing = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
    (character) => isSpaceAt(character, 0) !== /\s/.test(character) || isSpaceAt('a', 1),
  );
  expect(differing).toEqual([]);
});

it.each([
  ['eq 1', { word: 'eq', length: 2 }],
  ['DivBy 2', { word: 'div', length: 5 }],
  ['and(true)', { word: 'and', length: 3 }],
  ['ne[a]', { word: 'ne', length: 2 }],
  ['or', { word: 'or', length: 2 }],
  ['in\t(1)', { word: 'in', length: 2 }],
  ['eq1', undefined],
  ['eq)', undefined],
  ['equal 1', undefined],
  ['constructor 1', undefined],
  [' eq 1', undefined],
])('the operator at the beginning of %j is %j', (text, operator) => {
  expect(operatorWordAt(text, 0)).toEqual(operator);
  expect(operatorWordAt(`x ${text}`, 2)).toEqual(operator);
});

it('a word is the letters at an offset, in any case', () => {
  expect([wordAt('abC1', 0), wordAt('1 AS', 2), wordAt('1', 0)]).toEqual(['abC', 'AS', undefined]);
});

it.each([
  ['as x', 'as'],
  ['AS[x]', 'AS'],
  ['with)', 'with'],
  ['as,', 'as'],
  ['as', 'as'],
  ['as5', undefined],
  ['asc x', undefined],
  ['or x', undefined],
])('with the stop words as and with, %j begins with %j', (text, word) => {
  expect(stopWordAt(`x ${text}`, 2, ['as', 'with'])).toBe(word);
});
