import { expect, it } from 'vitest';
import { isFalse, isTrue, type Test } from '../../../../src/query/filter/test-sql.js';

const [one, two] = ['isNull(a)', 'isNull(b)'];

/** `isTrue` and `isFalse` of a test: SQL or a constant, valid if no operand is null. */
const answers = (operator: Test['operator'], test: string | boolean, nulls: readonly string[]) => [
  isTrue({ operator, test, nulls }),
  isFalse({ operator, test, nulls }),
];

it.each<[string, Test['operator'], readonly string[], readonly (readonly [string, string])[]]>([
  [
    'without operands that can be null',
    'eq',
    [],
    [
      ['T', '(NOT (T))'],
      ['1', '0'],
      ['0', '1'],
    ],
  ],
  [
    'with one, which equals no value',
    'eq',
    [one],
    [
      ['T', '(NOT (ifNull(T, 0)))'],
      [`(NOT ((${one})))`, `(${one})`],
      ['0', '1'],
    ],
  ],
  [
    'with two, which are equal where both are null',
    'eq',
    [one, two],
    [
      [`(T OR (${one} AND ${two}))`, `(NOT (ifNull(T, (${one} AND ${two}))))`],
      [`(${one} = ${two})`, `(${one} != ${two})`],
      [`(${one} AND ${two})`, `(NOT ((${one} AND ${two})))`],
    ],
  ],
  [
    'of an order, which no null has',
    'lt',
    [one, two],
    [
      ['T', '(NOT (ifNull(T, 0)))'],
      [`(NOT ((${one} OR ${two})))`, `(${one} OR ${two})`],
      ['0', '1'],
    ],
  ],
])('a comparison %s', (_, operator, nulls, expected) => {
  expect(['T', true, false].map((test) => answers(operator, test, nulls))).toEqual(expected);
});
