import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../../src/query/filter/number-literal.js';
import { createShapes } from '../../../../src/query/filter/number-shape.js';
import type { NumberNode } from '../../../../src/query/filter/typed.js';

const number = (text: string): NumberNode => ({ kind: 'number', value: parseExact(text)! });

const of = (
  operator: Extract<NumberNode, { kind: 'arithmetic' }>['operator'],
  left: string,
  right: string,
): NumberNode => ({ kind: 'arithmetic', operator, left: number(left), right: number(right) });

const shapeOf = (node: NumberNode) => createShapes()(node);

describe('the shape of a value', () => {
  it.each([
    ['0', 0, 1n, 1n],
    ['7', 0, 8n, 7n],
    ['-123.45', 2, 12_346n, 12_345n],
    ['1e3', 0, 1_001n, 1_000n],
    ['1e-76', 76, 2n, 1n],
    ['1e75', 0, 10n ** 75n + 1n, 10n ** 75n],
  ])('%s is exact', (text, scale, bound, least) => {
    expect(shapeOf(number(text))).toEqual({ exact: { scale, bound, least }, sure: true, nullable: false });
  });

  it.each(['1e76', '1e-77', '1e400', '-1e400'])('%s has too many digits', (text) => {
    expect(shapeOf(number(text))).toEqual({ exact: undefined, sure: false, nullable: true });
  });
});

describe('the shape of a calculation', () => {
  it.each([
    ['add', '1.5', '2.25', 2, 386n],
    ['sub', '2', '0.1', 1, 32n],
    ['mul', '1.5', '0.25', 3, 416n],
  ] as const)('%s of %s and %s is exact, and never null', (operator, left, right, scale, bound) => {
    expect(shapeOf(of(operator, left, right))).toEqual({
      exact: { scale, bound, least: 1n },
      sure: true,
      nullable: false,
    });
  });

  it.each([
    ['div', '10', '4', 22, (11n * 10n ** 22n) / 4n + 1n],
    ['div', '10', '0.4', 22, (11n * 10n ** 23n) / 4n + 1n],
    ['mod', '10', '4', 0, 5n],
  ] as const)('%s of %s and %s may be null', (operator, left, right, scale, bound) => {
    expect(shapeOf(of(operator, left, right))).toEqual({
      exact: { scale, bound, least: 1n },
      sure: true,
      nullable: true,
    });
  });

  it.each([
    ['add', '1e75', '0.01'],
    ['mul', '1e40', '1e40'],
    ['mul', '1e-40', '1e-40'],
    ['div', '1e55', '1'],
    ['mod', '1e40', '1e-38'],
  ] as const)('%s of %s and %s may need more than 76 digits', (operator, left, right) => {
    expect(shapeOf(of(operator, left, right))).toEqual({ exact: undefined, sure: false, nullable: true });
  });

  it.each(['round', 'floor', 'ceiling'] as const)('%s may result in the next whole number', (kind) => {
    expect(shapeOf({ kind, operand: number('1.5') })).toEqual({
      exact: { scale: 1, bound: 26n, least: 1n },
      sure: true,
      nullable: false,
    });
    expect(shapeOf({ kind, operand: number('1e400') })).toEqual({
      exact: undefined,
      sure: false,
      nullable: true,
    });
    const most = { kind: 'number', value: { digits: 10n ** 76n - 1n, scale: 1 } } as const;
    expect(shapeOf({ kind, operand: most })).toEqual({ exact: undefined, sure: false, nullable: true });
  });
});
